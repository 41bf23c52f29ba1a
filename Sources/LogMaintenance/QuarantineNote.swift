import LogFormat

/// What recovery wrote beside the bytes that it cut.
struct QuarantineNote: Hashable, Sendable {
    /// The file they were in.
    var file: String
    /// Where they began in it, in bytes.
    var offset: UInt64
    var length: UInt64
    var reason: String
    /// Milliseconds since 1970-01-01 UTC.
    var time: Int64

    /// The note in a `.json` file, or nil when it is not as recovery writes one: the copying may have been
    /// cut short.
    init?(_ bytes: [UInt8]) {
        var scan = NoteScan(bytes)
        guard scan.skip(#"{"file":"#), let file = scan.string(), scan.skip(#","offset":"#),
            let offset = scan.number(), scan.skip(#","length":"#), let length = scan.number(),
            scan.skip(#","reason":"#), let reason = scan.string(), scan.skip(#","time":"#),
            let time = scan.signedNumber(), scan.skip("}\n"), scan.isAtEnd
        else {
            return nil
        }
        self.file = file
        self.offset = offset
        self.length = length
        self.reason = reason
        self.time = time
    }
}

/// A position in the text of a note.
private struct NoteScan {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    /// A JSON string in the one spelling that ids have too.
    mutating func string() -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < rest.endIndex, let id = CanonicalID(spelling: rest[...end]) else { return nil }
        rest = rest[(end + 1)...]
        return id.string
    }

    mutating func number() -> UInt64? {
        UInt64(digits())
    }

    mutating func signedNumber() -> Int64? {
        let sign = skip("-") ? "-" : ""
        return Int64(sign + digits())
    }

    private mutating func digits() -> String {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest.removeFirst(digits.count)
        return String(decoding: digits, as: UTF8.self)
    }
}
