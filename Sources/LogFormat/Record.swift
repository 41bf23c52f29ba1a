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

    package let operation: Operation
    /// Whether the next record belongs to the same batch.
    package let more: Bool
    package let sequenceNumber: SequenceNumber
    /// Milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// The version of the value's own schema; 1 when the line does not say.
    package let schema: UInt64
    /// `UInt64.max` when the line does not say.
    private let syncedNumber: UInt64
    // The texts are places in the line, so that a record is small: it is copied for each line.
    private let start: UnsafeRawPointer
    private let lineLength: UInt32
    private let idStart: UInt32
    private let idLength: UInt32
    private let valueStart: UInt32

    /// The highest number that was known to be on stable storage when the line was written.
    package var synced: SequenceNumber? {
        syncedNumber == .max ? nil : SequenceNumber(syncedNumber)
    }

    /// The id in its canonical spelling; empty for a mark.
    package var id: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + Int(idStart), count: Int(idLength))
    }

    /// The value's JSON text; empty for a delete or a mark.
    package var value: UnsafeRawBufferPointer {
        let end = operation == .put ? lineLength - 2 : 0
        return UnsafeRawBufferPointer(start: start + Int(valueStart), count: Int(end - valueStart))
    }

    /// The whole line with its LF.
    package var line: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(lineLength))
    }

    /// The record in a line, or nil when the line has another shape. Whether its checksum holds is for the
    /// caller to judge.
    @inline(__always)
    init?(_ line: UnsafeRawBufferPointer) {
        guard let start = line.baseAddress else { return nil }
        var cursor = LineCursor(line)
        guard cursor.skip(count: LineReader.frameLength) else { return nil }
        guard cursor.skip(#""seq":"#), let number = cursor.number(), number > 0 else { return nil }
        guard cursor.skip(#","at":"#), let time = cursor.signedNumber() else { return nil }
        var synced = UInt64.max
        if cursor.skip(#","synced":"#) {
            guard let number = cursor.number() else { return nil }
            synced = number
        }
        let more = cursor.skip(#","more":true"#)
        guard cursor.skip(#","op":""#) else { return nil }
        var schema: UInt64 = 1
        var id = start..<start
        let operation: Operation
        if cursor.skip(#"put""#) {
            operation = .put
            if cursor.skip(#","schema":"#) {
                guard let number = cursor.number() else { return nil }
                schema = number
            }
            guard let place = cursor.id(), cursor.skip(#","value":"#) else { return nil }
            id = place
            valueStart = UInt32(truncatingIfNeeded: cursor.next - start)
            guard cursor.skipValue() else { return nil }
        } else if cursor.skip(#"delete""#) {
            operation = .delete
            guard let place = cursor.id() else { return nil }
            id = place
            valueStart = 0
        } else if cursor.skip(#"mark""#) {
            operation = .mark
            guard synced != .max, !more else { return nil }
            valueStart = 0
        } else {
            return nil
        }
        guard cursor.skip("}\n"), cursor.isAtEnd else { return nil }
        self.operation = operation
        self.more = more
        sequenceNumber = SequenceNumber(number)
        self.time = time
        self.schema = schema
        syncedNumber = synced
        self.start = start
        lineLength = UInt32(truncatingIfNeeded: line.count)
        idStart = UInt32(truncatingIfNeeded: id.lowerBound - start)
        idLength = UInt32(truncatingIfNeeded: id.upperBound - id.lowerBound)
    }
}

extension LineCursor {
    /// The place of the member `id` in its canonical spelling, or nil.
    @inline(__always)
    fileprivate mutating func id() -> Range<UnsafeRawPointer>? {
        guard skip(#","id":"#) else { return nil }
        let start = next
        guard skipID() else { return nil }
        return start..<next
    }
}

extension Record {
    /// The record of a whole line with its LF, checksum and shape verified anew, or nil when the bytes are
    /// none: for someone who has seen the line before and knows where it stands.
    package init?(verifying line: UnsafeRawBufferPointer) {
        guard line.count > LineReader.frameLength, line.last == 0x0A, let start = line.baseAddress,
            ByteSearch.matches(LogScanner.marker, at: start), LineReader.damage(in: line) == nil
        else {
            return nil
        }
        self.init(line)
    }
}
