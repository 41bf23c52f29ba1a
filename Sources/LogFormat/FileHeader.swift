/// The first line of a file: which store, which generation, where its numbers begin.
package struct FileHeader: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case log
        case snapshot
    }

    package var kind: Kind
    /// The store's UUID, lower case; the same in all its files.
    package var store: String {
        get { storeID.text }
        set { storeID = UUIDBytes(newValue) }
    }
    private var storeID: UUIDBytes
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
        storeID = UUIDBytes(store)
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
        storeID = store
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

/// A UUID as its sixteen bytes, so that a header, and all that may be one, is copied without counting
/// references.
private struct UUIDBytes: Hashable, Sendable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    /// `text` must be a UUID in lower case.
    init(_ text: String) {
        let bytes = Array(text.utf8).withUnsafeBytes { Self($0) }
        guard let bytes else { preconditionFailure("A store is named by a UUID in lower case, not \(text).") }
        self = bytes
    }

    /// The UUID with its four hyphens in `text`, or nil when there is none.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        for (index, byte) in text.enumerated() {
            if Self.hyphens.contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Hexadecimal.value(byte) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(digit)
            }
        }
    }

    var text: String {
        let digits =
            Hexadecimal.digits(UInt32(high >> 32)) + Hexadecimal.digits(UInt32(truncatingIfNeeded: high))
            + Hexadecimal.digits(UInt32(low >> 32)) + Hexadecimal.digits(UInt32(truncatingIfNeeded: low))
        var text: [UInt8] = []
        for digit in digits {
            if Self.hyphens.contains(text.count) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Where the hyphens stand in the text.
    private static let hyphens = [8, 13, 18, 23]
}

extension LineCursor {
    /// A UUID in lower case with its four hyphens, or nil.
    fileprivate mutating func uuid() -> UUIDBytes? {
        guard end - next >= 36 else { return nil }
        let text = UnsafeRawBufferPointer(start: next, count: 36)
        guard let uuid = UUIDBytes(text), skip(count: 36) else { return nil }
        return uuid
    }
}
