package import LogFormat

/// Composes a log or a snapshot line by line, sound or not.
///
/// Records take running numbers and times; where a parameter is nil, the next one.
package struct LogBuilder: Sendable {
    package static let store = "3f2b8c1e-9d47-4a6b-8e21-5c0d9a7b6f14"

    package private(set) var bytes: [UInt8] = []
    /// Where each piece stands that was appended, in order.
    package private(set) var ranges: [Range<Int>] = []
    package var nextSequenceNumber: SequenceNumber
    /// The time of the next line, in milliseconds; each line is one later.
    package var time: Int64
    /// The number of records so far.
    package private(set) var recordCount: UInt64 = 0

    private var encoder = RecordEncoder()

    package init(from sequenceNumber: SequenceNumber = .first, time: Int64 = 1_796_000_000_000) {
        nextSequenceNumber = sequenceNumber
        self.time = time
    }

    // MARK: Sound lines

    /// The first line; the records behind it go on from `firstSequenceNumber`.
    @discardableResult
    package mutating func header(
        _ kind: FileHeader.Kind = .log,
        store: String = LogBuilder.store,
        generation: UInt64 = 1,
        firstSequenceNumber: SequenceNumber? = nil,
        deletesSince: SequenceNumber? = nil
    ) -> Range<Int> {
        if let firstSequenceNumber { nextSequenceNumber = firstSequenceNumber }
        encoder.appendHeader(
            FileHeader(
                kind: kind,
                store: store,
                generation: generation,
                firstSequenceNumber: nextSequenceNumber,
                deletesSince: deletesSince,
                time: nextTime()
            )
        )
        return take()
    }

    @discardableResult
    package mutating func put(
        _ id: CanonicalID,
        _ value: String,
        number: SequenceNumber? = nil,
        synced: SequenceNumber? = nil,
        more: Bool = false,
        schema: UInt64 = 1
    ) -> Range<Int> {
        let head = nextHead(number, synced, more)
        encoder.appendPut(head, schema: schema, id: id.spelling, value: Array(value.utf8))
        return take()
    }

    /// The same, with a string for an id.
    @discardableResult
    package mutating func put(
        _ id: String,
        _ value: String,
        number: SequenceNumber? = nil,
        synced: SequenceNumber? = nil,
        more: Bool = false,
        schema: UInt64 = 1
    ) -> Range<Int> {
        put(CanonicalID(id), value, number: number, synced: synced, more: more, schema: schema)
    }

    @discardableResult
    package mutating func delete(
        _ id: CanonicalID,
        number: SequenceNumber? = nil,
        synced: SequenceNumber? = nil,
        more: Bool = false
    ) -> Range<Int> {
        encoder.appendDelete(nextHead(number, synced, more), id: id.spelling)
        return take()
    }

    /// The same, with a string for an id.
    @discardableResult
    package mutating func delete(
        _ id: String,
        number: SequenceNumber? = nil,
        synced: SequenceNumber? = nil,
        more: Bool = false
    ) -> Range<Int> {
        delete(CanonicalID(id), number: number, synced: synced, more: more)
    }

    /// Says that all before it was synced, unless told otherwise.
    @discardableResult
    package mutating func mark(
        number: SequenceNumber? = nil,
        synced: SequenceNumber? = nil
    ) -> Range<Int> {
        let said = synced ?? (number ?? nextSequenceNumber).previous
        encoder.appendMark(nextHead(number, said, false))
        return take()
    }

    /// Puts that belong to one batch.
    @discardableResult
    package mutating func batch(_ puts: [(id: String, value: String)]) -> Range<Int> {
        let start = bytes.count
        for (index, item) in puts.enumerated() {
            put(item.id, item.value, more: index < puts.count - 1)
        }
        return start..<bytes.count
    }

    /// The last line of a snapshot, with the right count unless told otherwise.
    @discardableResult
    package mutating func footer(records: UInt64? = nil) -> Range<Int> {
        encoder.appendFooter(SnapshotFooter(records: records ?? recordCount))
        return take()
    }

    @discardableResult
    package mutating func padding(_ count: Int) -> Range<Int> {
        raw([UInt8](repeating: 0x0A, count: count))
    }

    // MARK: Other lines

    /// A line with a checksum that holds, whatever its members are: all behind `{"crc":"xxxxxxxx",`,
    /// with the closing brace.
    @discardableResult
    package mutating func line(members: String) -> Range<Int> {
        raw(Self.line(members: Array(members.utf8)))
    }

    @discardableResult
    package mutating func raw(_ text: String) -> Range<Int> {
        raw(Array(text.utf8))
    }

    @discardableResult
    package mutating func raw(_ bytes: [UInt8]) -> Range<Int> {
        let start = self.bytes.count
        self.bytes += bytes
        ranges.append(start..<self.bytes.count)
        return start..<self.bytes.count
    }

    package static func line(members: [UInt8]) -> [UInt8] {
        let checksum = String(members.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        let digits = String(repeating: "0", count: 8 - checksum.count) + checksum
        return Array(#"{"crc":"\#(digits)","#.utf8) + members + [0x0A]
    }

    /// The bytes of a piece.
    package subscript(_ range: Range<Int>) -> [UInt8] {
        Array(bytes[range])
    }

    // MARK: Pieces

    private mutating func take() -> Range<Int> {
        let line = encoder.bytes
        encoder.removeAll()
        return raw(line)
    }

    private mutating func nextTime() -> Int64 {
        defer { time += 1 }
        return time
    }

    private mutating func nextHead(
        _ number: SequenceNumber?,
        _ synced: SequenceNumber?,
        _ more: Bool
    ) -> RecordHead {
        let number = number ?? nextSequenceNumber
        nextSequenceNumber = number.next
        recordCount += 1
        return RecordHead(sequenceNumber: number, time: nextTime(), synced: synced, more: more)
    }
}
