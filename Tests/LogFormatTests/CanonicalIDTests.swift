import LogFormat
import TestSupport
import Testing

@Suite struct CanonicalIDTests {
    private func spelling(_ string: String) -> String {
        String(decoding: CanonicalID(string).spelling, as: UTF8.self)
    }

    @Test(arguments: [
        ("", #""""#), ("q-001", #""q-001""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
        ("\u{8}", #""\b""#), ("\u{C}", #""\f""#), ("\n", #""\n""#), ("\r", #""\r""#), ("\t", #""\t""#),
        ("\u{0}", #""\u0000""#), ("\u{1F}", #""\u001f""#), ("\u{B}", #""\u000b""#), ("\r\n", #""\r\n""#),
        ("\u{7F}", "\"\u{7F}\""), ("\u{85}", "\"\u{85}\""), ("\u{2028}", "\"\u{2028}\""),
        ("é", "\"\u{E9}\""), ("e\u{301}", "\"e\u{301}\""), ("👩‍👩‍👧", "\"👩‍👩‍👧\""), ("\u{FEFF}", "\"\u{FEFF}\""),
        ("\u{10FFFF}", "\"\u{10FFFF}\""), ("a\"b\\c\n é/", #""a\"b\\c\n é/""#),
    ])
    func everyStringHasItsOneSpelling(_ string: String, _ expected: String) {
        #expect(CanonicalID(string).spelling == Array(expected.utf8))
    }

    @Test func everyControlCharacterIsEscapedAndNothingElseIs() {
        for value in 0..<0x100 as Range<UInt32> {
            let string = String(Character(Unicode.Scalar(value) ?? " "))
            let id = CanonicalID(string)
            let isEscaped = value < 0x20 || value == 0x22 || value == 0x5C
            #expect(id.spelling.contains(0x5C) == isEscaped, "U+\(String(value, radix: 16))")
            #expect(id.spelling.dropFirst().dropLast().allSatisfy { $0 >= 0x20 })
            #expect(CanonicalID(spelling: id.spelling) == id)
            #expect(id.string.map { Array($0.utf8) } == Array(string.utf8))
        }
    }

    @Test(arguments: [
        (Int64(0), "0"), (1, "1"), (-1, "-1"), (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ])
    func everyIntegerHasItsOneSpelling(_ integer: Int64, _ expected: String) {
        let id = CanonicalID(integer)
        #expect(id.spelling == Array(expected.utf8))
        #expect(CanonicalID(spelling: id.spelling) == id)
        #expect(!id.isString)
        #expect(id.string == nil)
    }

    @Test func integersOfAnySizeAreIDs() {
        #expect(CanonicalID(UInt64.max).description == "18446744073709551615")
        let long = "-" + String(repeating: "9", count: 400)
        #expect(CanonicalID(spelling: long.utf8)?.description == long)
    }

    @Test(arguments: [
        // Other spellings of what has one.
        #""\/""#, #""\u0041""#, #""\u00e9""#, #""\u007f""#, #""\u0020""#, #""\u0022""#, #""\u005c""#,
        #""\u0008""#, #""\u0009""#, #""\u000a""#, #""\u000c""#, #""\u000d""#, #""\u000B""#, #""\u001F""#,
        #""\U0000""#, #""\u2028""#, #""\ud83d\ude00""#, #""\'""#, #""\0""#, #""\v""#, #""\x00""#, #""\a""#,
        // What is no string.
        "", "\"", #""\"#, #""\""#, #"""""#, #""a"b""#, #""a" "#, #" "a""#, #""\u000"#, #""\u00"#, #""\u"#,
        #""\u000""#, "'a'", "\"\u{1F}\"", "\"\n\"", "\"\t\"", "\"\u{0}\"",
        // Numbers.
        "-0", "01", "-01", "00", "1.0", "1e1", "1E1", "+1", "-", "1 ", " 1", "1a", "0x1", "--1", "1-", "٣",
        "true", "null", "[]", "{}",
    ])
    func everyOtherSpellingIsRefused(_ spelling: String) {
        #expect(CanonicalID(spelling: spelling.utf8) == nil)
    }

    @Test func rawControlCharactersAreRefused() {
        for byte in 0..<0x20 as Range<UInt8> {
            #expect(CanonicalID(spelling: [0x22, byte, 0x22]) == nil, "\(byte)")
            // Between the digits of an escape too, whose bits resemble theirs.
            #expect(CanonicalID(spelling: Array(#""\u00"#.utf8) + [byte, 0x30, 0x22]) == nil, "\(byte)")
            #expect(CanonicalID(spelling: Array(#""\u000"#.utf8) + [byte, 0x22]) == nil, "\(byte)")
        }
    }

    @Test func exactlyWellFormedUTF8IsAccepted() {
        let second: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        let later: [UInt8] = [0x41, 0x7F, 0x80, 0xBF, 0xC0]
        func check(_ bytes: [UInt8]) {
            guard !bytes.contains(where: { $0 < 0x20 }) else { return }
            let isWellFormed = String(validating: bytes, as: UTF8.self) != nil
            #expect((CanonicalID(spelling: [0x22] + bytes + [0x22]) != nil) == isWellFormed, "\(bytes)")
        }
        for first in 0x80...0xFF as ClosedRange<UInt8> {
            check([first])
            for two in second {
                check([first, two])
                for three in later {
                    check([first, two, three])
                    if first >= 0xE0 { for four in later { check([first, two, three, four]) } }
                }
            }
        }
    }

    @Test func everyRandomStringGoesThereAndBack() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<3000 {
            var string = ""
            for _ in 0..<random.below(12) {
                let scalar = Unicode.Scalar(UInt32(random.below(random.oneIn(2) ? 0x80 : 0x11_0000)))
                string.unicodeScalars.append(scalar ?? "\u{FFFD}")
            }
            let id = CanonicalID(string)
            #expect(CanonicalID(spelling: id.spelling) == id, "\(id)")
            #expect(id.string.map { Array($0.utf8) } == Array(string.utf8), "\(id)")
        }
    }

    @Test func whateverIsAcceptedIsTheSpellingOfWhatItSpells() {
        let pieces: [[UInt8]] =
            [#"\"#, "u", "0", "1", "f", "F", "b", "n", "/", "\"", "é", "8", "-", "\u{7F}"].map {
                Array($0.utf8)
            }
            + [[0x00], [0x10], [0x1F], [0xC3], [0xED, 0xA0, 0x80], [0xFF]]
        var random = SeededGenerator(seed: 4)
        var accepted = 0
        for _ in 0..<30_000 {
            var bytes: [UInt8] = random.oneIn(4) ? [] : [0x22]
            for _ in 0..<random.below(8) { bytes += pieces[random.below(pieces.count)] }
            if !random.oneIn(4) { bytes.append(0x22) }
            guard let id = CanonicalID(spelling: bytes) else { continue }
            accepted += 1
            if let string = id.string {
                #expect(CanonicalID(string).spelling == bytes)
            } else {
                #expect(Int(String(decoding: bytes, as: UTF8.self)).map { CanonicalID($0) } == id)
            }
        }
        #expect(accepted > 500)
    }

    @Test func idsAreComparedAsBytes() {
        #expect(CanonicalID("é") != CanonicalID("e\u{301}"))
        #expect(CanonicalID("42") != CanonicalID(42))
    }
}
