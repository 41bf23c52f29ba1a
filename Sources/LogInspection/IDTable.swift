import LogFormat

/// Gives each id a number, from 0 in the order of their coming. A million ids take a few bytes more than
/// their spellings: these stand one after the other, and the table holds where.
package struct IDTable {
    /// The spellings, one after the other, in pieces.
    private var pieces: [[UInt8]] = []
    private var last: [UInt8] = []
    /// Where each id's spelling stands: its piece, its start and its end in that, packed into one word.
    private var places = Chunks<UInt64>()
    /// Numbers of ids plus 1, at the place that the hash leads to or the next free one; 0 is free.
    private var slots = [UInt32](repeating: 0, count: 1024)

    /// Spellings stand in pieces of this size; one that does not fit goes into a piece of its own.
    private static let pieceSize = 1 << 16

    package init() {}

    package var count: Int { places.count }

    /// The number of an id, or nil when it has not come yet.
    package func index(of id: UnsafeRawBufferPointer) -> Int? {
        let slot = slots[place(of: id)]
        return slot == 0 ? nil : Int(slot) - 1
    }

    /// The number of an id, a new one if it has not come yet.
    package mutating func insert(_ id: UnsafeRawBufferPointer) -> Int {
        let place = place(of: id)
        if slots[place] != 0 { return Int(slots[place]) - 1 }
        let index = count
        append(id)
        slots[place] = UInt32(index + 1)
        if count * 4 > slots.count * 3 { grow() }
        return index
    }

    /// The spelling of the id with a number.
    package func spelling(_ index: Int) -> [UInt8] {
        withSpelling(index) { Array($0) }
    }

    package func withSpelling<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let place = places[index]
        let piece = Int(place >> 40)
        let start = Int(place >> 20 & 0xF_FFFF)
        let bytes = piece == pieces.count ? last : pieces[piece]
        // A long spelling has its piece to itself.
        let end = place & 0xF_FFFF == 0xF_FFFF ? bytes.count : Int(place & 0xF_FFFF)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Whether the id with one number comes before that with another, byte by byte.
    package func precedes(_ left: Int, _ right: Int) -> Bool {
        withSpelling(left) { left in
            withSpelling(right) { right in left.lexicographicallyPrecedes(right) }
        }
    }

    // MARK: Storage

    private mutating func append(_ id: UnsafeRawBufferPointer) {
        if last.count + id.count > Self.pieceSize, !last.isEmpty {
            pieces.append(last)
            last = []
            last.reserveCapacity(Self.pieceSize)
        }
        let start = last.count
        last.append(contentsOf: id)
        let isLong = last.count > Self.pieceSize
        let end = isLong ? 0xF_FFFF : UInt64(last.count)
        places.append(UInt64(pieces.count) << 40 | UInt64(start) << 20 | end)
    }

    private func place(of id: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        var place = hasher.finalize() & (slots.count - 1)
        while slots[place] != 0 {
            let isSame = withSpelling(Int(slots[place]) - 1) { $0.elementsEqual(id) }
            if isSame { break }
            place = (place + 1) & (slots.count - 1)
        }
        return place
    }

    private mutating func grow() {
        let size = slots.count * 2
        slots = []
        slots = [UInt32](repeating: 0, count: size)
        for index in 0..<count {
            let place = withSpelling(index) { freePlace(of: $0) }
            slots[place] = UInt32(index + 1)
        }
    }

    private func freePlace(of id: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        var place = hasher.finalize() & (slots.count - 1)
        while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
        return place
    }
}
