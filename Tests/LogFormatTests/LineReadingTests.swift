import LogFormat
import Testing

/// The paths that make reading fast accept and refuse the same as the plain ones would.
struct LineReadingTests {
    /// The one thing that a scanner sees in `bytes`.
    private func scan<Result>(_ bytes: [UInt8], _ body: (ScannedLine) -> Result) -> Result? {
        bytes.withUnsafeBytes { all in
            var scanner = LogScanner(length: UInt64(all.count))
            while true {
                switch scanner.next() {
                case .line(let line): return body(line)
                case .end: return nil
                case .needsBytes(let offset, let buffer):
                    buffer.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: all[Int(offset)...].prefix(buffer.count))
                    )
                    scanner.didRead(buffer.count)
                }
            }
        }
    }

    /// A line with the right checksum around `members`.
    private func line(_ members: String) -> [UInt8] {
        let members = Array(members.utf8)
        let checksum = String(members.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        let digits = String(repeating: "0", count: 8 - checksum.count) + checksum
        return Array("{\"crc\":\"\(digits)\",".utf8) + members + [0x0A]
    }

    private func isRecord(_ members: String) -> Bool {
        scan(line(members)) { if case .record = $0 { true } else { false } } ?? false
    }

    private func value(_ text: String) -> String? {
        let members = "\"seq\":1,\"at\":1,\"op\":\"put\",\"id\":1,\"value\":\(text)}"
        return scan(line(members)) { line -> String? in
            guard case .record(let record, _) = line else { return nil }
            return String(decoding: record.value, as: UTF8.self)
        } ?? nil
    }

    @Test func everyJSONValueIsReadWhole() {
        let values = [
            "null", "true", "false", "0", "-0", "12345678", "1234567890123456789", "-1.5e+10", "0.25E-3",
            "\"\"",
            "\"1234567\"", "\"12345678\"", "\"123456789\"", "\"a\\\"b\\\\c\\/\\b\\f\\n\\r\\t\\u00E9\\uffff\"",
            "\"é€😀\"",
            "{}", "[]", "[[],{},[{}]]", "{\"a\":[1,{\"b\":\"]}\"}],\"c\":null}",
            " \t\r{ \"a\" : [ 1 , 2 ] } ",
        ]
        for text in values { #expect(value(text) == text) }
    }

    @Test func whatIsNoJSONValueIsNoRecord() {
        let values = [
            "", " ", "nul", "True", "01", "-", "1.", ".5", "1e", "1e+", "+1", "\"", "\"a", "\"\u{1F}\"",
            "\"\u{0}\"",
            "\"\\x\"", "\"\\u12g4\"", "\"\\u123\"", "\"\\\"", "{", "}", "[", "]", "[1,]", "[,1]", "{\"a\"}",
            "{\"a\":}", "{a:1}",
            "{\"a\":1,}", "[1}", "{\"a\":1]", "[1 2]", "1 2", "{}{}", "\u{FEFF}1", "\"a\"b",
        ]
        for text in values { #expect(value(text) == nil, "\(text)") }
        let malformed: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
        ]
        for bytes in malformed {
            let text =
                Array("\"seq\":1,\"at\":1,\"op\":\"put\",\"id\":1,\"value\":\"".utf8) + bytes
                + Array("\"}".utf8)
            let checksum = String(text.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
            let frame = "{\"crc\":\"\(String(repeating: "0", count: 8 - checksum.count))\(checksum)\","
            #expect(
                scan(Array(frame.utf8) + text + [0x0A]) { if case .record = $0 { true } else { false } }
                    == false
            )
        }
    }

    @Test(arguments: [1, 63, 64, 65, 128, 129, 200, 5000])
    func nestingOfAnyDepthIsRead(_ depth: Int) {
        let text =
            String(repeating: "[{\"a\":", count: depth) + "1" + String(repeating: "}]", count: depth)
        #expect(value(text) == text)
        #expect(value(text.replacing("1}", with: "1]")) == nil)
        #expect(value("[" + text) == nil)
        #expect(value(text + "]") == nil)
    }

    @Test func everyNumberUpToTheHighestIsRead() {
        var numbers: [UInt64] = [9_007_199_254_740_991]
        var power: UInt64 = 1
        for _ in 0..<16 {
            numbers += [power - 1, power, power + 1].filter { $0 > 0 }
            power *= 10
        }
        for number in numbers where number <= 9_007_199_254_740_991 {
            let read = scan(line("\"seq\":\(number),\"at\":-\(number),\"op\":\"delete\",\"id\":1}")) {
                line -> [Int64] in
                guard case .record(let record, _) = line else { return [] }
                return [Int64(record.sequenceNumber.rawValue), record.time]
            }
            #expect(read == [Int64(number), -Int64(number)])
        }
        let refused = [
            "0", "01", "00000000", "9007199254740992", "9999999999999999", "10000000000000000",
            "99999999999999999999", "",
            "-1", "1.0", "1e3",
        ]
        for number in refused {
            #expect(!isRecord("\"seq\":\(number),\"at\":1,\"op\":\"delete\",\"id\":1}"), "\(number)")
        }
    }

    @Test func aChecksumIsTheSameHoweverTheBytesArrive() {
        let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        for length in 0...bytes.count {
            var single = CRC32C()
            for byte in bytes[..<length] { withUnsafeBytes(of: byte) { single.update($0) } }
            let whole = bytes[..<length].withUnsafeBytes { CRC32C.checksum($0) }
            #expect(whole == single.value, "\(length) bytes")
        }
        #expect(Array("123456789".utf8).withUnsafeBytes { CRC32C.checksum($0) } == 0xE306_9283)
    }

    @Test func onlyLowerCaseDigitsOfTheRightChecksumAreTaken() {
        let good = line("\"seq\":1,\"at\":1,\"op\":\"delete\",\"id\":1}")
        for index in 8..<16 {
            for byte in UInt8.min...UInt8.max where byte != good[index] && byte != 0x0A {
                var bad = good
                bad[index] = byte
                let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                let reason = scan(bad) { line -> InvalidBytes.Reason? in
                    guard case .invalid(let bytes, _) = line else { return nil }
                    return bytes.reason
                }
                if isDigit, case .checksum = reason { continue }
                #expect(!isDigit && reason == .frame, "byte \(byte) at \(index)")
            }
        }
    }

    @Test func aHeaderKeepsItsStoreByteForByte() {
        let store = "3f2b8c1e-9d47-4a6b-8e21-5c0d9a7b6f14"
        var encoder = RecordEncoder()
        encoder.appendHeader(
            FileHeader(kind: .log, store: store, generation: 1, firstSequenceNumber: .first, time: 0)
        )
        #expect(String(decoding: encoder.bytes, as: UTF8.self).contains("\"store\":\"\(store)\""))
        let read = scan(encoder.bytes) { line -> String? in
            guard case .header(let header, _) = line else { return nil }
            return header.store
        }
        #expect(read == store)
    }

    @Test func aScanInsideAFileCountsItsLinesFromTheFirst() {
        let bytes = Array("\n\nbroken\n".utf8)
        bytes.withUnsafeBytes { all in
            var scanner = LogScanner(offset: 2, line: 3, length: UInt64(all.count))
            guard case .needsBytes(2, let buffer) = scanner.next() else {
                Issue.record("A scan begins by asking for its first bytes.")
                return
            }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[2...]))
            scanner.didRead(buffer.count)
            guard case .line(.invalid(_, let place)) = scanner.next() else {
                Issue.record("The line is none.")
                return
            }
            #expect(place.line == 3)
            #expect(place.range == 2..<9)
        }
    }
}
