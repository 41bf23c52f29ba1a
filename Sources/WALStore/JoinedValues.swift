/// Values joined into one JSON array, to be decoded in one go.
///
/// Each is known to be one whole JSON value, so a comma between two of them stands between two elements.
struct JoinedValues {
    /// More would gain nothing and take memory.
    private static var fullCount: Int { 100 }
    private static var fullLength: Int { 1 << 20 }

    /// Where the records stand in the index.
    private(set) var slots: [Int] = []
    private var json: [UInt8] = [UInt8(ascii: "[")]
    private var ranges: [Range<Int>] = []

    var isFull: Bool { slots.count >= Self.fullCount || json.count >= Self.fullLength }

    /// The JSON text of the array.
    var array: [UInt8] { json + [UInt8(ascii: "]")] }

    mutating func append(_ value: UnsafeRawBufferPointer, of slot: Int) {
        if !slots.isEmpty { json.append(UInt8(ascii: ",")) }
        slots.append(slot)
        ranges.append(json.count..<json.count + value.count)
        json.append(contentsOf: value)
    }

    func withValue<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        try json.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[ranges[index]])) }
    }

    mutating func removeAll() {
        slots.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        json.removeSubrange(1...)
    }
}
