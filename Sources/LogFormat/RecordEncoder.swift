/// Composes lines, byte for byte as the format wants them, one after the other in one buffer.
package struct RecordEncoder: Sendable {
    /// The lines composed since the last `removeAll`.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Forgets the lines and keeps the memory, up to `capacity` bytes of it.
    package mutating func removeAll(keepingCapacity capacity: Int = 1 << 20) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= capacity)
    }

    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    package mutating func appendHeader(_ header: FileHeader) {
        let start = begin()
        append(#""format":"#)
        append(FileHeader.format)
        append(#","kind":""#)
        bytes += header.kind.rawValue.utf8
        append(#"","store":""#)
        bytes += header.store.utf8
        append(#"","generation":"#)
        append(header.generation)
        append(#","firstSeq":"#)
        append(header.firstSequenceNumber.rawValue)
        if let deletesSince = header.deletesSince {
            append(#","deletesSince":"#)
            append(deletesSince.rawValue)
        }
        append(#","at":"#)
        append(time: header.time)
        finish(start)
    }

    package mutating func appendPut(
        _ head: RecordHead,
        schema: UInt64,
        id: [UInt8],
        value: [UInt8]
    ) {
        let start = begin()
        append(head)
        append(#","op":"put""#)
        if schema != 1 {
            append(#","schema":"#)
            append(schema)
        }
        append(#","id":"#)
        bytes += id
        append(#","value":"#)
        bytes += value
        finish(start)
    }

    package mutating func appendDelete(_ head: RecordHead, id: [UInt8]) {
        let start = begin()
        append(head)
        append(#","op":"delete","id":"#)
        bytes += id
        finish(start)
    }

    /// `head.synced` must be there: a mark always says it.
    package mutating func appendMark(_ head: RecordHead) {
        precondition(head.synced != nil, "A mark always says how far its log was synced.")
        let start = begin()
        append(head)
        append(#","op":"mark""#)
        finish(start)
    }

    package mutating func appendFooter(_ footer: SnapshotFooter) {
        let start = begin()
        append(#""end":true,"records":"#)
        append(footer.records)
        finish(start)
    }

    // MARK: Pieces

    private static let frame: StaticString = #"{"crc":"00000000","#

    private mutating func begin() -> Int {
        let start = bytes.count
        append(Self.frame)
        return start
    }

    /// Closes the object, puts the checksum into its place and ends the line.
    private mutating func finish(_ start: Int) {
        bytes.append(UInt8(ascii: "}"))
        let members = start + Self.frame.utf8CodeUnitCount
        let checksum = bytes.withUnsafeBytes { CRC32C.checksum(.init(rebasing: $0[members...])) }
        let digits = Hexadecimal.word(checksum)
        for place in 0..<8 {
            bytes[start + 8 + place] = UInt8(truncatingIfNeeded: digits >> UInt64(8 * place))
        }
        bytes.append(0x0A)
    }

    private mutating func append(_ head: RecordHead) {
        append(#""seq":"#)
        append(head.sequenceNumber.rawValue)
        append(#","at":"#)
        append(time: head.time)
        if let synced = head.synced {
            append(#","synced":"#)
            append(synced.rawValue)
        }
        if head.more { append(#","more":true"#) }
    }

    @inline(__always)
    private mutating func append(_ text: StaticString) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// A clock that has lost its mind must not make a line that no reader takes.
    private mutating func append(time: Int64) {
        if time < 0 { bytes.append(UInt8(ascii: "-")) }
        append(min(time.magnitude, SequenceNumber.highest.rawValue))
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        repeat {
            bytes.append(0)
            rest /= 10
        } while rest > 0
        // From the last digit to the first: to turn them round behind that would copy the buffer.
        rest = number
        var place = bytes.count
        repeat {
            place -= 1
            bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
    }
}

/// What every record says before what it does.
package struct RecordHead: Hashable, Sendable {
    package var sequenceNumber: SequenceNumber
    /// Milliseconds since 1970-01-01 UTC.
    package var time: Int64
    package var synced: SequenceNumber?
    package var more: Bool

    package init(
        sequenceNumber: SequenceNumber,
        time: Int64,
        synced: SequenceNumber? = nil,
        more: Bool = false
    ) {
        self.sequenceNumber = sequenceNumber
        self.time = time
        self.synced = synced
        self.more = more
    }
}
