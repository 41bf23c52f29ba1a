import LogFormat
import TestSupport
import Testing

/// Bytes that were made to cost time or memory, and bytes from a die.
@Suite struct HostileInputTests {
    /// Generous for a debug build on a busy machine; what is quadratic takes minutes.
    private static let limit = Duration.seconds(30)

    private static let megabytes = 4 << 20

    private static func repeated(_ text: String, end: String = "\n") -> [UInt8] {
        var bytes = Array(text.utf8)
        while bytes.count < megabytes { bytes += bytes }
        return bytes + Array(end.utf8)
    }

    @Test(arguments: [
        (#"{"crc":"00000000","#, "\n"), (#"{"crc":"00000000","#, ""), (#"{"crc":""#, "\n"),
        (#"{"crc":""#, ""),
        (#"{"crc":"0000000"#, "\n"), ("{", "\n"), ("{", ""), (#"{"crc":"#, "\n"), ("\0", ""), ("\0", "\n"),
        ("x", ""), ("\n", ""), ("x\n", ""), ("{\"crc\":\"00000000\",}\n", ""), ("\0\n", ""),
        (#"{"crc":"00000000",\#n{"crc":""#, ""),
    ])
    func timeIsLinearInTheBytesWhateverTheyAre(_ text: String, _ end: String) {
        let file = ByteFile(Self.repeated(text, end: end))
        var next: UInt64 = 0
        var lines = 0
        let time = ContinuousClock().measure {
            file.forEachLine { line in
                if line.place.range.lowerBound != next { next = .max }
                next = line.place.range.upperBound
                if case .record = line { lines += 1 }
            }
        }
        #expect(next == UInt64(file.bytes.count))
        #expect(lines == 0)
        #expect(time < Self.limit, "\(time)")
    }

    @Test func aDeepValueCostsNoStack() {
        let depth = 1 << 20
        let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        var file = LogBuilder()
        file.put("a", value)
        let time = ContinuousClock().measure {
            #expect(ByteFile(file.bytes).items().records.count == 1)
        }
        #expect(time < Self.limit, "\(time)")
    }

    // MARK: Lines that are too long

    @Test func aLineOfTheGreatestLengthIsReadAndALongerOneIsNot() {
        var file = LogBuilder()
        file.header()
        let long = file.put("long", "\"" + String(repeating: "x", count: 3000) + "\"")
        let last = file.put("b", "2")
        for windowSize in [64, 100, 1000, 2000, 3500, 5000, 256 << 10] {
            let read = ByteFile(file.bytes).items(windowSize: windowSize, longestLine: long.count)
            #expect(read.records.count == 2, "window \(windowSize)")
            let items = ByteFile(file.bytes).items(windowSize: windowSize, longestLine: long.count - 1)
            #expect(items.tile(file.bytes.count), "window \(windowSize)")
            #expect(items.records.map(\.line) == [file[last]], "window \(windowSize)")
            #expect(items.reasons.contains(.length), "window \(windowSize)")
        }
    }

    @Test func everySoundLineJoinedToAnOverlongOneIsFound() {
        for length in 20..<480 {
            var file = LogBuilder()
            file.raw(#"{"crc":"00000000","# + String(repeating: "x", count: length))
            let line = file.put("a", "1")
            let last = file.put("b", "2")
            for windowSize in [64, 512, 4096] {
                let items = ByteFile(file.bytes).items(windowSize: windowSize, longestLine: 200)
                #expect(items.tile(file.bytes.count), "\(length) bytes, window \(windowSize)")
                #expect(
                    items.records.map(\.line) == [file[line], file[last]],
                    "\(length) bytes, window \(windowSize)"
                )
            }
        }
    }

    /// The piece of an overlong line that is reported at once must end in front of a line, not in it.
    @Test func everySoundLineAcrossTheMiddleOfAnOverlongOneIsFound() {
        for length in 76..<200 {
            var file = LogBuilder()
            file.raw(#"{"crc":"00000000","# + String(repeating: "x", count: length))
            let line = file.put("a", "\"" + String(repeating: "y", count: 60) + "\"")
            #expect(line.count > 106 && line.count < 200)
            for windowSize in [64, 512, 4096] {
                let items = ByteFile(file.bytes).items(windowSize: windowSize, longestLine: 200)
                #expect(items.tile(file.bytes.count), "\(length) bytes, window \(windowSize)")
                #expect(items.records.map(\.line) == [file[line]], "\(length) bytes, window \(windowSize)")
            }
        }
    }

    @Test func theWindowStaysSmallWhereNoLineIsLong() {
        let bytes = Self.repeated("no line at all, and no end of it ", end: "")
        var largest = 0
        var scanner = LogScanner(length: UInt64(bytes.count), windowSize: 4096)
        reading: while true {
            switch scanner.next() {
            case .end: break reading
            case .line: continue
            case .needsBytes(let offset, let buffer):
                largest = max(largest, buffer.count)
                bytes.withUnsafeBytes {
                    buffer.copyMemory(from: .init(rebasing: $0[Int(offset)..<Int(offset) + buffer.count]))
                }
                scanner.didRead(buffer.count)
            }
        }
        #expect(largest <= 4096)
    }

    // MARK: From a die

    @Test(arguments: 0..<8)
    func randomFilesAreSeenAsByTheReference(_ block: UInt64) {
        let log = LogScannerTests.log
        for seed in block * 150..<(block + 1) * 150 {
            var random = SeededGenerator(seed: seed)
            var bytes: [UInt8] = []
            for _ in 0..<1 + random.below(12) {
                let line = log[log.ranges[random.below(log.ranges.count)]]
                switch random.below(10) {
                case 0..<4: bytes += line
                case 4: bytes += line.prefix(random.below(line.count))
                case 5: bytes += line.suffix(random.below(line.count))
                case 6: bytes += [UInt8](repeating: random.oneIn(2) ? 0 : 0x0A, count: random.below(70))
                case 7: bytes += random.bytes(random.below(70))
                case 8: bytes += Array(#"{"crc":"00000000","#.utf8).prefix(1 + random.below(18))
                default:
                    var damaged = line
                    damaged[random.below(line.count)] ^= 1 << UInt8(random.below(8))
                    bytes += damaged
                }
            }
            let items = ByteFile(bytes).items(
                windowSize: 64 + random.below(400),
                readSize: 1 + random.below(200)
            )
            #expect(items.tile(bytes.count), "seed \(seed)")
            #expect(Coverage(items) == ReferenceScanner.coverage(bytes), "seed \(seed)")
            let known = Set(log.ranges.map { log[$0] })
            #expect(items.records.allSatisfy { known.contains($0.line) }, "seed \(seed)")
        }
    }

    @Test func randomBytesAreNoLines() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let bytes = random.bytes(random.below(2000))
            let items = ByteFile(bytes).items(windowSize: 64 + random.below(1000))
            #expect(items.tile(bytes.count), "seed \(seed)")
            #expect(items.validLines == [], "seed \(seed)")
        }
    }
}
