/// Judges the bytes of one line: the frame, the checksum, the shape.
enum LineReader {
    /// `{"crc":"xxxxxxxx",`
    static let frameLength = 18

    /// What is wrong with a line that starts with `{"crc":"` and ends with its LF, its shape aside; nil
    /// when the checksum holds.
    @inline(__always)
    static func damage(in line: UnsafeRawBufferPointer) -> InvalidBytes.Reason? {
        guard line.count > frameLength + 1, let start = line.baseAddress,
            ByteSearch.matches(#"","#, at: start + 16)
        else {
            return .frame
        }
        let computed = CRC32C.checksum(members(of: line))
        guard Hexadecimal.word(computed) != ByteSearch.word(start + 8) else { return nil }
        guard let stated = Hexadecimal.value(eightDigitsAt: start + 8) else { return .frame }
        return .checksum(stated: stated, computed: computed)
    }

    /// What the checksum of a line covers.
    @inline(__always)
    private static func members(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line[frameLength..<line.count - 1])
    }

    /// At the members of a line whose checksum holds.
    @inline(__always)
    static func cursor(_ line: UnsafeRawBufferPointer) -> LineCursor {
        LineCursor(members(of: line))
    }

    enum Other {
        case header(FileHeader)
        case footer(SnapshotFooter)
        case newerFormat(UInt64)
    }

    /// What else a line whose checksum holds may be, or nil when it has no known shape.
    static func other(_ line: UnsafeRawBufferPointer) -> Other? {
        var cursor = cursor(line)
        if let format = newerFormat(cursor) { return .newerFormat(format) }
        var other = cursor
        if let header = FileHeader(&cursor) { return .header(header) }
        if let footer = SnapshotFooter(&other) { return .footer(footer) }
        return nil
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
