/// A word as it is typed into a shell.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ word: String) {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."),
                UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: "+"), UInt8(ascii: ":"):
                true
            default: byte >= 0x80
            }
        }
        guard !isPlain || word.isEmpty || word.hasPrefix("-") else {
            description = word
            return
        }
        let quoted = word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        description = (word.hasPrefix("-") ? "./" : "") + "'\(quoted)'"
    }
}
