/// Judges the bytes of one line: the frame, the checksum, the shape.
enum LineReader {
    enum Content {
        case header(FileHeader)
        case record(Record)
        case footer(SnapshotFooter)
    }

    enum Verdict {
        case valid(Content)
        case invalid(InvalidBytes.Reason)
        case newerFormat(UInt64)
    }

    /// `{"crc":"xxxxxxxx",`
    private static let frameLength = 18

    /// The verdict on a line that starts with `{"crc":"` and ends with its LF.
    @inline(__always)
    static func read(_ line: UnsafeRawBufferPointer) -> Verdict {
        guard let stated = statedChecksum(line) else { return .invalid(.frame) }
        let members = UnsafeRawBufferPointer(rebasing: line[frameLength..<line.count - 1])
        let computed = CRC32C.checksum(members)
        guard stated == computed else { return .invalid(.checksum(stated: stated, computed: computed)) }

        var cursor = LineCursor(members)
        switch cursor.byte(at: 1) {
        case UInt8(ascii: "s"):
            if let record = Record(&cursor, line: line) { return .valid(.record(record)) }
        case UInt8(ascii: "f"):
            if let format = newerFormat(cursor) { return .newerFormat(format) }
            if let header = FileHeader(&cursor) { return .valid(.header(header)) }
        case UInt8(ascii: "e"):
            if let footer = SnapshotFooter(&cursor) { return .valid(.footer(footer)) }
        default: break
        }
        return .invalid(.shape)
    }

    /// The checksum that a line states, or nil when its first 18 bytes are not as the format wants them.
    @inline(__always)
    private static func statedChecksum(_ line: UnsafeRawBufferPointer) -> UInt32? {
        guard line.count > frameLength + 1, let start = line.baseAddress else { return nil }
        guard ByteSearch.matches(#"","#, at: start + 16) else { return nil }
        return Hexadecimal.value(eightDigitsAt: start + 8)
    }

    /// The format number of a header from a later version, whatever else that header has.
    private static func newerFormat(_ members: LineCursor) -> UInt64? {
        var cursor = members
        guard cursor.skip(#""format":"#), let format = cursor.number(), cursor.skip(",") else { return nil }
        return format > FileHeader.format ? format : nil
    }

    /// How far into a damaged line another line begins whose checksum holds, or nil.
    ///
    /// Each place where one may begin is checked from the last to the first, and the checksum of the
    /// bytes behind it is joined from pieces, so that a line full of such places costs no more to
    /// read than any other.
    static func firstLineInside(_ line: UnsafeRawBufferPointer, marker: StaticString) -> Int? {
        guard let start = line.baseAddress else { return nil }
        let lineFeed = start + line.count - 1
        var places: [UnsafeRawPointer] = []
        var from = start + 1
        while let place = ByteSearch.first(marker, from: from, to: lineFeed) {
            places.append(place)
            from = place + 1
        }
        var found: Int?
        var tailStart = lineFeed
        var tail = CRC32C.Tail()
        for place in places.reversed() {
            let rest = UnsafeRawBufferPointer(start: place, count: lineFeed + 1 - place)
            guard let stated = statedChecksum(rest) else { continue }
            let members = place + frameLength
            tail.prepend(UnsafeRawBufferPointer(start: members, count: tailStart - members))
            tailStart = members
            if stated == tail.value { found = place - start }
        }
        return found
    }
}

extension LineCursor {
    /// The byte `distance` ahead, or nil behind the end.
    @inline(__always)
    fileprivate func byte(at distance: Int) -> UInt8? {
        end - next > distance ? next.load(fromByteOffset: distance, as: UInt8.self) : nil
    }
}
