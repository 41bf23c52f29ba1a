import LogFormat
import LogInspection

/// Takes the contents out of lines and leaves their form.
struct Blanking {
    private var standIns = StandIns()

    private static let filler = UInt8(ascii: "x")
    private static let frameLength = 18

    /// How many ids have got a stand-in.
    var idCount: Int { standIns.count }

    // MARK: Sound lines

    /// The line with another id and another value of the same lengths, and the checksum of that.
    mutating func line(of record: Record) throws(MaintenanceError) -> [UInt8] {
        var line = Array(record.line)
        guard let start = record.line.baseAddress else { return line }
        if record.operation != .mark, let id = record.id.baseAddress {
            line.replaceSubrange(
                (id - start)..<(id - start + record.id.count),
                with: try standIns.standIn(for: record.id)
            )
        }
        if record.operation == .put, let value = record.value.baseAddress {
            let place = value - start
            line.replaceSubrange(place..<place + record.value.count, with: Self.value(record.value.count))
        }
        Self.putChecksum(in: &line)
        return line
    }

    /// A JSON value of a length: a string of x's, or a digit where there is room for nothing else.
    private static func value(_ length: Int) -> [UInt8] {
        guard length > 1 else { return [UInt8](repeating: UInt8(ascii: "0"), count: length) }
        let quote = UInt8(ascii: "\"")
        return [quote] + [UInt8](repeating: filler, count: length - 2) + [quote]
    }

    // MARK: Other bytes

    /// The bytes with all but their form overwritten: NULs, line ends, the frame of a line, and the numbers
    /// in front of its id. What was a fault of some kind is a fault of the same kind.
    func damaged(_ invalid: InvalidBytes) -> [UInt8] {
        let old = Array(invalid.bytes)
        var new = old.map { $0 == 0 || $0 == 0x0A ? $0 : Self.filler }
        // A converted line end is a fault of its own.
        if old.suffix(2) == [0x0D, 0x0A] { new[new.count - 2] = 0x0D }
        var index = 0
        while index < old.count {
            if old[index...].starts(with: Self.marker) {
                keepForm(of: old, at: index, in: &new)
                index += Self.marker.count
            } else {
                index += 1
            }
        }
        if invalid.isIntact {
            Self.putChecksum(in: &new)
        } else if new.count > Self.frameLength + 1, new.last == 0x0A, new.starts(with: Self.marker),
            Self.checksum(of: new) == 0
        {
            // Eight zeros must be wrong.
            new[15] = UInt8(ascii: "1")
        }
        return new
    }

    private static let marker = Array(#"{"crc":""#.utf8)

    private func keepForm(of old: [UInt8], at start: Int, in new: inout [UInt8]) {
        var text = FormKeeper(old, start)
        _ = text.keep(#"{"crc":""#)
        // The checksum itself would tell whoever guesses the line that the guess is right.
        text.keepChecksumDigits()
        if text.keep(#"","#) {
            if text.keep(#""format":"#) {
                text.keepDigits()
                _ = text.keep(",")
            } else if text.keep(#""seq":"#) {
                text.keepDigits()
                text.keepRecordMembers()
            }
        }
        for index in start..<text.next { new[index] = text.bytes[index] }
    }

    // MARK: Checksums

    private static func checksum(of line: [UInt8]) -> UInt32 {
        line.withUnsafeBytes {
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[frameLength..<line.count - 1]))
        }
    }

    private static func putChecksum(in line: inout [UInt8]) {
        let digits = String(checksum(of: line), radix: 16)
        let text = String(repeating: "0", count: 8 - digits.count) + digits
        line.replaceSubrange(8..<16, with: text.utf8)
    }
}

/// Moves over what may be kept of a damaged line.
private struct FormKeeper {
    private(set) var bytes: [UInt8]
    private(set) var next: Int

    init(_ bytes: [UInt8], _ start: Int) {
        self.bytes = bytes
        next = start
    }

    mutating func keep(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[next...].starts(with: text) else { return false }
        next += text.count
        return true
    }

    mutating func keepDigits() {
        while next < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[next]) { next += 1 }
    }

    /// A digit stays a digit, and what is none stays none.
    mutating func keepChecksumDigits() {
        for _ in 0..<8 where next < bytes.count && bytes[next] != 0 && bytes[next] != 0x0A {
            let isDigit = (0x30...0x39).contains(bytes[next]) || (0x61...0x66).contains(bytes[next])
            bytes[next] = UInt8(ascii: isDigit ? "0" : "?")
            next += 1
        }
    }

    /// What stands between the number and the id of a record, as far as it is there.
    mutating func keepRecordMembers() {
        guard keep(#","at":"#) else { return }
        _ = keep("-")
        keepDigits()
        if keep(#","synced":"#) { keepDigits() }
        _ = keep(#","more":true"#)
        guard keep(#","op":""#), keep("put\"") || keep("delete\"") || keep("mark\"") else { return }
        if keep(#","schema":"#) { keepDigits() }
        _ = keep(#","id":"#)
    }
}
