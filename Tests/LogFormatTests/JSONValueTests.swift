import LogFormat
import TestSupport
import Testing

/// Which values a put may have. Seen from outside: the line is a record or has no shape.
@Suite struct JSONValueTests {
    private func isValue(_ value: [UInt8]) -> Bool {
        let members = Array(#""seq":1,"at":2,"op":"put","id":"a","value":"#.utf8) + value + [0x7D]
        let items = ByteFile(LogBuilder.line(members: members)).items()
        guard items.count == 1 else { return false }
        if case .record(let record) = items[0].content { return record.value == value }
        #expect(items.reasons == [.shape])
        return false
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e5", "1E+5", "1e-5", "0e0",
        "1.25e10", "123456789012345678901234567890", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t\u0000\uFFFF""#,
        #""\ud83d\ude00""#, #""\ud83d""#, "\"\u{7F}\u{85}\u{2028}👩‍👩‍👧\"", "[]", "[ ]", "[1]", "[1,2]",
        "[ 1 , 2 ]", "[[],[[]],{}]", "{}", "{ }", #"{"a":1}"#, #"{ "a" : 1 , "b" : [ ] }"#, #"{"a":1,"a":2}"#,
        #"{"":{}}"#, " 1", "1 ", "\t\r 1\t\r ", #"{"}":"{"}"#, #"["]","["]"#, #""{\"crc\":\"00000000\",""#,
        "[0]", "[-0,0.0]", #"{"a":{"b":{"c":[{"d":null}]}}}"#, "\"12345678\"", "\"1234567\"", "\"123456789\"",
    ])
    func everyKindOfValueIsAccepted(_ value: String) {
        #expect(isValue(Array(value.utf8)))
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "tru", "undefined", "NaN", "-", "+1", "01", "-01", "1.", ".5", "1e",
        "1e+", "1.e5", "1ee5", "0x10", "1_000", "--1", "1 2", "1,2", "\"", #""a"#, #""\"#, #""\x""#, #""\u""#,
        #""\u12""#, #""\u12g4""#, #""\u 123""#, #"'a'"#, "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]",
        "[1 2]",
        "[1}", "{", "}", "{]", "[}", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1,"#, #"{"a":1,}"#, "{,}",
        #"{"a" 1}"#, "{a:1}", "{1:1}", #"{"a":1]"#, #"{"a":1 "b":2}"#, "[]]", "{}}", "[][]", "{}{}",
        #""a"b"#, "/**/1", "1//", "\u{FEFF}1", "[1]\u{B}", "[\u{C}1]", "\u{A0}1", "\"\u{0}\"", "\"\u{1F}\"",
        "\"\t\"", "\"\r\"", "\u{0}", #"{"a\":1}"#, #"{"a":01}"#, "[1.]", "truefalse", "true1", "1true",
    ])
    func everythingElseIsRefused(_ value: String) {
        #expect(!isValue(Array(value.utf8)))
    }

    @Test func everyControlCharacterIsRefusedInsideAString() {
        for byte in 0..<0x20 as Range<UInt8> where byte != 0x0A {
            for length in 0..<20 {
                let text = [UInt8](repeating: 0x61, count: length)
                #expect(!isValue([0x22] + text + [byte] + text + [0x22]), "byte \(byte) behind \(length)")
            }
        }
    }

    /// `\u` followed by control characters whose bits resemble digits was read as an escape.
    @Test func everyDigitOfAnEscapeIsHexadecimal() {
        for place in 0..<4 {
            for byte in 0...0xFF as ClosedRange<UInt8> where byte != 0x0A {
                var digits = Array("0000".utf8)
                digits[place] = byte
                let isDigit = Array("0123456789abcdefABCDEF".utf8).contains(byte)
                #expect(isValue(Array(#""\u"#.utf8) + digits + [0x22]) == isDigit, "\(byte) at \(place)")
            }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x80, 0x80],
            [0xE2, 0x80],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]]
    )
    func illFormedUTF8IsRefused(_ bytes: [UInt8]) {
        #expect(!isValue([0x22] + bytes + [0x22]))
        #expect(!isValue(bytes))
        #expect(!isValue([0x7B, 0x22] + bytes + Array(#"":1}"#.utf8)))
    }

    @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 10_000])
    func nestingOfAnyDepthIsAccepted(_ depth: Int) {
        func repeated(_ text: String) -> String { String(repeating: text, count: depth) }
        #expect(isValue(Array((repeated("[") + repeated("]")).utf8)))
        #expect(isValue(Array((repeated(#"{"a":"#) + "1" + repeated("}")).utf8)))
        #expect(isValue(Array((repeated(#"[{"a":"#) + "1" + repeated("}]")).utf8)))
        #expect(!isValue(Array((repeated("[") + "}" + repeated("]").dropFirst()).utf8)))
        #expect(!isValue(Array((repeated(#"[{"a":"#) + "1" + repeated("]}")).utf8)))
        #expect(!isValue(Array((repeated("[") + repeated("]").dropFirst()).utf8)))
        #expect(!isValue(Array((repeated("[") + repeated("]") + "]").utf8)))
    }

    @Test func randomTextIsJudgedAsByTheReference() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\\", "\\u", "00", "1", "0", "-", ".", "e",
            "+",
            " ", "\t", "true", "null", "é", "\u{0}", "\u{10}", "abcdefgh",
        ].map { Array($0.utf8) }
        var random = SeededGenerator(seed: 5)
        var accepted = 0
        for _ in 0..<20_000 {
            var value: [UInt8] = []
            for _ in 0..<1 + random.below(8) { value += pieces[random.below(pieces.count)] }
            let expected = JSONReference.accepts(value)
            accepted += expected ? 1 : 0
            #expect(isValue(value) == expected, "\(String(decoding: value, as: UTF8.self))")
        }
        #expect(accepted > 200)
    }

    @Test func everyDamagedByteOfAValueIsJudgedAsByTheReference() {
        let value = Array(#"{"a":[1,-2.5e+3,"\u00e9é\n",true,null,{}],"b": "x" }"#.utf8)
        #expect(isValue(value))
        for index in value.indices {
            for byte in Array(#"{}[],:"\/u0e.-+ x"#.utf8) + [0x00, 0x10, 0x1F, 0x7F, 0x80, 0xC3, 0xFF] {
                var damaged = value
                damaged[index] = byte
                #expect(isValue(damaged) == JSONReference.accepts(damaged), "\(byte) at \(index)")
            }
            let cut = Array(value[..<index])
            #expect(isValue(cut) == JSONReference.accepts(cut), "cut at \(index)")
        }
    }
}
