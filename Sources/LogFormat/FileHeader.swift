/// The first line of a file: which store, which generation, where its numbers begin.
package struct FileHeader: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case log
        case snapshot
    }

    package var kind: Kind
    /// The store's UUID, lower case; the same in all its files.
    package var store: String
    package var generation: UInt64
    /// Log: the number of its first record. Snapshot: it holds the state after every record below this.
    package var firstSequenceNumber: SequenceNumber
    /// Snapshot only: every delete numbered at least this is kept in it.
    package var deletesSince: SequenceNumber?
    /// Milliseconds since 1970-01-01 UTC.
    package var time: Int64

    package init(
        kind: Kind,
        store: String,
        generation: UInt64,
        firstSequenceNumber: SequenceNumber,
        deletesSince: SequenceNumber? = nil,
        time: Int64
    ) {
        self.kind = kind
        self.store = store
        self.generation = generation
        self.firstSequenceNumber = firstSequenceNumber
        self.deletesSince = deletesSince
        self.time = time
    }

    /// The format that this library writes and reads.
    package static let format: UInt64 = 1

    /// The header in the members behind `crc`, or nil when they have another shape.
    init?(_ cursor: inout LineCursor) {
        guard cursor.skip(#""format":1,"kind":""#) else { return nil }
        if cursor.skip(#"log","store":""#) {
            kind = .log
        } else if cursor.skip(#"snapshot","store":""#) {
            kind = .snapshot
        } else {
            return nil
        }
        guard let store = cursor.uuid(), cursor.skip(#"","generation":"#) else { return nil }
        guard let generation = cursor.number(), cursor.skip(#","firstSeq":"#) else { return nil }
        guard let first = cursor.number(), first > 0 else { return nil }
        self.store = store
        self.generation = generation
        firstSequenceNumber = SequenceNumber(first)
        if kind == .snapshot, cursor.skip(#","deletesSince":"#) {
            guard let since = cursor.number() else { return nil }
            deletesSince = SequenceNumber(since)
        }
        guard cursor.skip(#","at":"#), let time = cursor.signedNumber(), cursor.skip("}"), cursor.isAtEnd
        else {
            return nil
        }
        self.time = time
    }
}

extension LineCursor {
    /// A UUID in lower case with its four hyphens, or nil.
    fileprivate mutating func uuid() -> String? {
        guard end - next >= 36 else { return nil }
        let text = UnsafeRawBufferPointer(start: next, count: 36)
        for (index, byte) in text.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default: guard Hexadecimal.value(byte) != nil else { return nil }
            }
        }
        guard skip(count: 36) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
