/// One valid line of a log or snapshot that says what happened: a put, a delete or a mark.
///
/// `id`, `value` and `line` are views into the scanner's window. They are valid until the scanner is
/// asked for its next line; copy what must outlive that.
package struct Record {
    package enum Operation: UInt8, Sendable {
        case put
        case delete
        /// Takes a number, says how far the log was synced, and changes nothing.
        case mark
    }

    package var operation: Operation
    package var sequenceNumber: SequenceNumber
    /// Milliseconds since 1970-01-01 UTC.
    package var time: Int64
    /// The highest number that was known to be on stable storage when the line was written.
    package var synced: SequenceNumber?
    /// Whether the next record belongs to the same batch.
    package var more: Bool
    /// The version of the value's own schema; 1 when the line does not say.
    package var schema: UInt64
    /// The id in its canonical spelling; empty for a mark.
    package var id: UnsafeRawBufferPointer
    /// The value's JSON text; empty for a delete or a mark.
    package var value: UnsafeRawBufferPointer
    /// The whole line with its LF.
    package var line: UnsafeRawBufferPointer

    /// The record in the members behind `crc`, or nil when they have another shape.
    init?(_ cursor: inout LineCursor, line: UnsafeRawBufferPointer) {
        guard cursor.skip(#""seq":"#), let number = cursor.number(), number > 0 else { return nil }
        guard cursor.skip(#","at":"#), let time = cursor.signedNumber() else { return nil }
        sequenceNumber = SequenceNumber(number)
        self.time = time
        if cursor.skip(#","synced":"#) {
            guard let synced = cursor.number() else { return nil }
            self.synced = SequenceNumber(synced)
        }
        more = cursor.skip(#","more":true"#)
        schema = 1
        id = UnsafeRawBufferPointer(start: nil, count: 0)
        value = id
        self.line = line
        guard cursor.skip(#","op":""#) else { return nil }
        if cursor.skip(#"put""#) {
            operation = .put
            if cursor.skip(#","schema":"#) {
                guard let schema = cursor.number() else { return nil }
                self.schema = schema
            }
            guard let id = cursor.id(), cursor.skip(#","value":"#) else { return nil }
            self.id = id
            let length = cursor.end - cursor.next - 1
            guard length > 0, cursor.end.load(fromByteOffset: -1, as: UInt8.self) == UInt8(ascii: "}") else {
                return nil
            }
            value = UnsafeRawBufferPointer(start: cursor.next, count: length)
            var json = LineCursor(value)
            guard json.skipValueToEnd() else { return nil }
        } else if cursor.skip(#"delete""#) {
            operation = .delete
            guard let id = cursor.id(), cursor.skip("}"), cursor.isAtEnd else { return nil }
            self.id = id
        } else if cursor.skip(#"mark"}"#) {
            operation = .mark
            guard synced != nil, !more, cursor.isAtEnd else { return nil }
        } else {
            return nil
        }
    }
}

extension LineCursor {
    /// The member `id` with its canonical spelling, or nil.
    @inline(__always)
    fileprivate mutating func id() -> UnsafeRawBufferPointer? {
        guard skip(#","id":"#) else { return nil }
        let start = next
        guard skipID() else { return nil }
        return UnsafeRawBufferPointer(start: start, count: next - start)
    }
}
