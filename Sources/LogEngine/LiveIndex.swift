package import LogFormat

/// The last record of each id: where it stands, not what it says.
///
/// A hash table over one array of bytes, since a dictionary of byte arrays costs an allocation an id.
package struct LiveIndex: Sendable {
    /// Where an id's last record is.
    package struct Location: Hashable, Sendable {
        /// The place in the list of files that the index was built from.
        package var file: Int32
        package var isDelete: Bool
        package var lineOffset: UInt64
        package var lineLength: UInt32
        /// From the start of the line.
        package var valueOffset: UInt32
        package var valueLength: UInt32
        package var sequenceNumber: SequenceNumber
        package var time: Int64
        package var schema: UInt64

        package init(_ record: Record, at offset: UInt64, in file: Int32) {
            self.file = file
            isDelete = record.operation == .delete
            lineOffset = offset
            lineLength = UInt32(record.line.count)
            let value = record.value.baseAddress
            valueOffset = value.flatMap { value in record.line.baseAddress.map { UInt32(value - $0) } } ?? 0
            valueLength = UInt32(record.value.count)
            sequenceNumber = record.sequenceNumber
            time = record.time
            schema = record.schema
        }

        /// The bytes of the value in the file.
        package var valueRange: Range<UInt64> {
            let start = lineOffset + UInt64(valueOffset)
            return start..<start + UInt64(valueLength)
        }
    }

    private struct Slot {
        var idStart: UInt64
        var idLength: UInt32
        var location: Location
    }

    private var slots: [Slot] = []
    private var ids: [UInt8] = []
    /// Open addressing by a hash of 32 bits; a cell is 0 or (the hash, the slot's number + 1), so that a
    /// table that grows needs no id again.
    private var cells: [UInt64] = Array(repeating: 0, count: 16)
    /// The ids whose last record is a put.
    package private(set) var liveCount = 0

    package init() {}

    /// The ids in the index, deleted ones included.
    package var count: Int { slots.count }

    package mutating func set(_ id: UnsafeRawBufferPointer, _ location: Location) {
        let hash = Self.hash(id)
        var cell = Int(hash) & (cells.count - 1)
        while cells[cell] != 0 {
            if cells[cell] >> 32 == hash {
                let slot = Int(cells[cell] & 0xFFFF_FFFF) - 1
                if isEqual(slot, id) {
                    if !slots[slot].location.isDelete { liveCount -= 1 }
                    if !location.isDelete { liveCount += 1 }
                    slots[slot].location = location
                    return
                }
            }
            cell = (cell + 1) & (cells.count - 1)
        }
        precondition(slots.count < Int(UInt32.max) - 1, "An index holds fewer than 2^32 ids.")
        slots.append(Slot(idStart: UInt64(ids.count), idLength: UInt32(id.count), location: location))
        ids.append(contentsOf: id)
        cells[cell] = hash << 32 | UInt64(slots.count)
        if !location.isDelete { liveCount += 1 }
        if slots.count * 4 > cells.count * 3 { grow(to: cells.count * 2) }
    }

    package func location(of id: UnsafeRawBufferPointer) -> Location? {
        slot(of: id).map { slots[$0].location }
    }

    /// Where the id stands in the index.
    package func slot(of id: UnsafeRawBufferPointer) -> Int? {
        let hash = Self.hash(id)
        var cell = Int(hash) & (cells.count - 1)
        while cells[cell] != 0 {
            if cells[cell] >> 32 == hash {
                let slot = Int(cells[cell] & 0xFFFF_FFFF) - 1
                if isEqual(slot, id) { return slot }
            }
            cell = (cell + 1) & (cells.count - 1)
        }
        return nil
    }

    /// The slots whose last record is a put, in the order in which these records stand in the files.
    package func liveSlots() -> [Int] {
        inFileOrder(slots.indices.filter { !slots[$0].location.isDelete })
    }

    /// All slots, in the order in which their last records stand in the files.
    package func slotsInFileOrder() -> [Int] {
        inFileOrder(Array(slots.indices))
    }

    private func inFileOrder(_ chosen: [Int]) -> [Int] {
        chosen.sorted {
            let (left, right) = (slots[$0].location, slots[$1].location)
            return (left.file, left.lineOffset) < (right.file, right.lineOffset)
        }
    }

    package func location(at slot: Int) -> Location { slots[slot].location }

    package func id(at slot: Int) -> CanonicalID {
        withID(at: slot) { CanonicalID(verified: $0) }
    }

    package func withID<Result>(at slot: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = Int(slots[slot].idStart)
        let end = start + Int(slots[slot].idLength)
        return ids.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    private func isEqual(_ slot: Int, _ id: UnsafeRawBufferPointer) -> Bool {
        guard slots[slot].idLength == id.count else { return false }
        let start = Int(slots[slot].idStart)
        return ids.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start..<start + id.count]).elementsEqual(id)
        }
    }

    /// Makes room for so many ids of so many bytes each.
    package mutating func reserveCapacity(_ count: Int, idLength: Int) {
        slots.reserveCapacity(count)
        ids.reserveCapacity(count * idLength)
        var size = cells.count
        while count * 4 > size * 3 { size *= 2 }
        if size > cells.count { grow(to: size) }
    }

    private mutating func grow(to size: Int) {
        let old = cells
        cells = Array(repeating: 0, count: size)
        for entry in old where entry != 0 {
            var cell = Int(entry >> 32) & (size - 1)
            while cells[cell] != 0 { cell = (cell + 1) & (size - 1) }
            cells[cell] = entry
        }
    }

    /// Seeded by the process, so that no one can choose ids that collide.
    private static func hash(_ id: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        return UInt64(bitPattern: Int64(hasher.finalize())) >> 32
    }
}
