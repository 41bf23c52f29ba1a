import LogFormat

/// Where a record stands, and what its line says besides id and value.
struct RecordPlace: Sendable {
    var number: SequenceNumber
    var time: Int64
    /// Where the line begins in its file.
    var offset: UInt64
    /// Of the line, its LF included.
    var length: UInt32
    /// Where the value begins in the line; 0 for a delete.
    var valueStart: UInt32
    /// Index into the chain that was read.
    var file: UInt32

    var isPut: Bool { valueStart > 0 }

    var line: Range<UInt64> { offset..<offset + UInt64(length) }

    /// The value's JSON text: up to the line's closing brace and LF.
    var value: Range<UInt64> { offset + UInt64(valueStart)..<offset + UInt64(length) - 2 }

    /// The bytes of the value's JSON text.
    var valueLength: UInt64 { isPut ? UInt64(length) - UInt64(valueStart) - 2 : 0 }

    /// Of no record.
    static let none = RecordPlace()

    private init() {
        (number, time, offset, length, valueStart, file) = (.zero, 0, 0, 0, 0, 0)
    }

    init(_ record: Record, _ place: LinePlace, file: Int) {
        number = record.sequenceNumber
        time = record.time
        offset = place.offset
        length = UInt32(place.length)
        valueStart = 0
        self.file = UInt32(file)
        if record.operation == .put, let line = record.line.baseAddress, let value = record.value.baseAddress
        {
            valueStart = UInt32(value - line)
        }
    }
}

/// The live records by id: where each one stands, not what it says.
///
/// Memory grows with the ids, about 70 bytes and the spelling each; dead ones are let go when they are more
/// than the live ones.
struct LiveTable {
    private var ids = IDTable()
    /// By the number of the id; a delete is a record that is no longer live.
    private var places = Chunks<RecordPlace>()
    /// The bytes of all lines of an id since it came to be, where they are counted.
    private var spent: Chunks<UInt64>?
    private(set) var count = 0
    /// Whether another table numbers its ids alike, so that none may be let go.
    private var sharesNumbers = false

    init(countsSpent: Bool = false) {
        if countsSpent { spent = Chunks() }
    }

    /// An empty table that gives the ids of another one the numbers that they have there.
    init(besides other: LiveTable) {
        ids = other.ids
        places = Chunks(repeating: .none, count: ids.count)
        sharesNumbers = true
    }

    mutating func apply(_ id: UnsafeRawBufferPointer, _ place: RecordPlace) {
        let index = ids.insert(id)
        if index == places.count {
            places.append(place)
            spent?.append(0)
            count += place.isPut ? 1 : 0
        } else {
            count += (place.isPut ? 1 : 0) - (places[index].isPut ? 1 : 0)
            places[index] = place
        }
        let before = spent?[index] ?? 0
        spent?[index] = place.isPut ? before + UInt64(place.length) : 0
        if !sharesNumbers, places.count > 4096, places.count > 2 * count { dropDead() }
    }

    /// The live record of an id.
    func place(of id: UnsafeRawBufferPointer) -> RecordPlace? {
        guard let index = ids.index(of: id), places[index].isPut else { return nil }
        return places[index]
    }

    func place(of id: CanonicalID) -> RecordPlace? {
        id.spelling.withUnsafeBytes { place(of: $0) }
    }

    // MARK: All of them

    /// The numbers of the live ids, in no order.
    var indices: [UInt32] {
        places.indices.filter { places[$0].isPut }.map { UInt32($0) }
    }

    /// The same, by id.
    var sorted: [UInt32] {
        indices.sorted { ids.precedes(Int($0), Int($1)) }
    }

    /// The numbers of all ids, live or not, by id.
    var allSorted: [UInt32] {
        places.indices.map { UInt32($0) }.sorted { ids.precedes(Int($0), Int($1)) }
    }

    /// The live record with a number; nil also when the table has no such number.
    func livePlace(_ index: UInt32) -> RecordPlace? {
        guard index < places.count, places[Int(index)].isPut else { return nil }
        return places[Int(index)]
    }

    func id(_ index: UInt32) -> [UInt8] { ids.spelling(Int(index)) }
    func place(_ index: UInt32) -> RecordPlace { places[Int(index)] }
    func spent(_ index: UInt32) -> UInt64 { spent?[Int(index)] ?? 0 }

    func precedes(_ left: UInt32, _ right: UInt32) -> Bool { ids.precedes(Int(left), Int(right)) }

    private mutating func dropDead() {
        var kept = LiveTable(countsSpent: spent != nil)
        for index in places.indices where places[index].isPut {
            let place = places[index]
            ids.withSpelling(index) { kept.apply($0, place) }
            if let spent { kept.spent?[kept.places.count - 1] = spent[index] }
        }
        self = kept
    }
}
