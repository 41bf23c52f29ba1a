import LogFormat
import TestSupport
import Testing

@Suite struct LogScannerTests {
    /// A log with every kind of line, and padding.
    static let log: LogBuilder = {
        var log = LogBuilder()
        log.header()
        log.put("a", #"{"n":1}"#)
        log.put("é\u{2028}", "[]", synced: .first)
        log.padding(5)
        log.batch([("b", "1"), ("c", "2")])
        log.delete("a", synced: SequenceNumber(4))
        log.padding(1)
        log.mark()
        return log
    }()

    /// Files in which all that a scanner meets stands: sound, damaged, padded, joined, cut.
    static let files: [[UInt8]] = {
        let log = Self.log.bytes
        var snapshot = LogBuilder(from: SequenceNumber(9))
        snapshot.header(.snapshot, generation: 2, deletesSince: .first)
        snapshot.put("a", #""\u0000""#, number: SequenceNumber(2))
        snapshot.delete("b", number: SequenceNumber(5))
        snapshot.footer()
        var mixed = LogBuilder()
        mixed.header()
        mixed.raw([0, 0, 0])
        mixed.put("a", #""{\"crc\":\"00000000\",""#)
        mixed.raw("no line\n\n\n")
        mixed.line(members: "{}")
        mixed.raw(#"{"crc":"{"crc":"00000000","#)
        mixed.put("b", "1")
        mixed.raw(#"{"crc":"0000"#)
        mixed.padding(80)
        mixed.put("c", "2")
        mixed.raw(String(repeating: "x", count: 200) + "\r\n")
        mixed.put("d", "3")
        mixed.raw(#"{"crc":"00"#)
        let torn = log + [UInt8](repeating: 0, count: 90) + log[..<250]
        return [log, snapshot.bytes, mixed.bytes, torn, [], [0x0A], [0], Array(#"{"crc":"#.utf8)]
    }()

    // MARK: Windows

    @Test(arguments: files.indices)
    func everyWindowSizeSeesTheSame(_ index: Int) {
        let bytes = Self.files[index]
        let whole = ByteFile(bytes).items()
        #expect(Coverage(whole) == ReferenceScanner.coverage(bytes))
        for windowSize in 64...max(64, bytes.count + 1) {
            for readSize in [Int.max, 1, 13] where readSize == .max || windowSize % 37 == 0 {
                let items = ByteFile(bytes).items(windowSize: windowSize, readSize: readSize)
                #expect(items.tile(bytes.count), "window \(windowSize), reads of \(readSize)")
                #expect(items.validLines == whole.validLines, "window \(windowSize), reads of \(readSize)")
                #expect(Coverage(items) == Coverage(whole), "window \(windowSize), reads of \(readSize)")
            }
        }
    }

    @Test(arguments: files.indices)
    func invalidBytesAreShownAsTheyAre(_ index: Int) {
        let bytes = Self.files[index]
        for windowSize in [64, 100, 1 << 10] {
            for item in ByteFile(bytes).items(windowSize: windowSize) {
                let range = Int(item.place.range.lowerBound)..<Int(item.place.range.upperBound)
                switch item.content {
                case .invalid(_, let seen): #expect(seen == Array(bytes[range]))
                case .record(let record): #expect(record.line == Array(bytes[range]))
                case .padding: #expect(bytes[range].allSatisfy { $0 == 0x0A })
                case .header, .footer: #expect(bytes[range].last == 0x0A)
                }
            }
        }
    }

    @Test func aScannerCanBeginAtTheStartOfAnyLine() {
        let bytes = Self.log.bytes
        let whole = ByteFile(bytes).items()
        for item in whole {
            var scanner = LogScanner(offset: item.place.offset, length: UInt64(bytes.count), windowSize: 64)
            var seen: [LinePlace] = []
            var requested: Set<UInt64> = []
            reading: while true {
                switch scanner.next() {
                case .end: break reading
                case .line(let line): seen.append(line.place)
                case .needsBytes(let offset, let buffer):
                    requested.insert(offset)
                    bytes.withUnsafeBytes {
                        let rest = UnsafeRawBufferPointer(rebasing: $0[Int(offset)...])
                        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<buffer.count]))
                    }
                    scanner.didRead(buffer.count)
                }
            }
            #expect(requested.min() == item.place.offset)
            #expect(seen.first?.range.lowerBound == item.place.offset)
            #expect(seen.last?.range.upperBound == UInt64(bytes.count))
        }
    }

    @Test func aScannerStopsAtTheLengthItWasGiven() {
        let bytes = Self.log.bytes
        let longer = ByteFile(bytes + Array("written meanwhile\n".utf8))
        var scanner = LogScanner(length: UInt64(bytes.count))
        var end: UInt64 = 0
        reading: while true {
            switch scanner.next() {
            case .end: break reading
            case .line(let line): end = line.place.range.upperBound
            case .needsBytes(let offset, let buffer):
                #expect(offset + UInt64(buffer.count) <= UInt64(bytes.count))
                longer.bytes.withUnsafeBytes {
                    buffer.copyMemory(from: .init(rebasing: $0[Int(offset)..<Int(offset) + buffer.count]))
                }
                scanner.didRead(buffer.count)
            }
        }
        #expect(end == UInt64(bytes.count))
    }

    // MARK: Places

    @Test func linesAreNumberedAsSedCounts() {
        for bytes in Self.files {
            for item in ByteFile(bytes).items(windowSize: 64) {
                let before = bytes[..<Int(item.place.offset)].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
                #expect(item.place.line == UInt64(before + 1), "\(item)")
                #expect(item.place.length == item.place.range.upperBound - item.place.offset)
            }
        }
    }

    @Test func whatBeginsInsideADamagedLineSaysSo() {
        for bytes in Self.files {
            for item in ByteFile(bytes).items(windowSize: 64) {
                let offset = Int(item.place.offset)
                let isBehindLF = offset == 0 || bytes[offset - 1] == 0x0A
                #expect(item.place.isInsideDamagedLine != isBehindLF, "\(item)")
            }
        }
    }

    // MARK: Cut and damaged files

    @Test func everyPrefixHoldsTheLinesThatItHoldsWhole() {
        for bytes in Self.files {
            let whole = ByteFile(bytes).items().validLines
            for length in 0...bytes.count {
                let items = ByteFile(Array(bytes[..<length])).items(windowSize: 64)
                #expect(items.tile(length), "length \(length)")
                let expected = whole.filter { $0.place.range.upperBound <= UInt64(length) }
                #expect(items.validLines == expected, "length \(length)")
            }
        }
    }

    @Test func everyFlippedBitCostsTheLineItIsInAndNoOther() {
        let bytes = Self.log.bytes
        let whole = ByteFile(bytes).items().validLines
        for index in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                let items = ByteFile(damaged).items()
                #expect(items.tile(bytes.count), "bit \(bit) of byte \(index)")
                let left = items.validLines.map { [$0.place.range: $0.content] }
                let expected = whole.filter { !$0.place.range.contains(UInt64(index)) }
                #expect(
                    left == expected.map { [$0.place.range: $0.content] },
                    "bit \(bit) of byte \(index): \(items)"
                )
            }
        }
    }

    @Test func everyMissingAndEveryDoubledByteCostsAtMostTheLineItIsIn() {
        let bytes = Self.log.bytes
        let whole = ByteFile(bytes).items()
        for index in bytes.indices {
            let others = whole.filter { !$0.place.range.contains(UInt64(index)) }.validLines.map(\.content)
            for damaged in [
                Array(bytes[..<index] + bytes[(index + 1)...]), Array(bytes[...index] + bytes[index...]),
            ] {
                let items = ByteFile(damaged).items()
                #expect(items.tile(damaged.count), "byte \(index)")
                let left = items.validLines.map(\.content)
                let known = Set(whole.map(\.content))
                #expect(others.allSatisfy { left.contains($0) }, "byte \(index)")
                #expect(left.allSatisfy { known.contains($0) }, "byte \(index)")
            }
        }
    }

    @Test func everyReasonIsTheRightOne() {
        func reasons(_ text: String) -> [InvalidBytes.Reason] { ByteFile(text).items().reasons }
        let line = String(
            decoding: LogBuilder.line(members: Array(#""end":true,"records":0}"#.utf8)),
            as: UTF8.self
        )
        #expect(reasons(line) == [])
        #expect(reasons(String(line.dropLast())) == [.lineEnd])
        #expect(reasons("text") == [.lineEnd])
        #expect(reasons("text\n") == [.frame])
        #expect(reasons(" " + line) == [.frame])
        #expect(reasons(line.replacing("true", with: "TRUE")).contains(.shape) == false)
        #expect(reasons("{\"crc\":\"zzzzzzzz\",}\n") == [.frame])
        #expect(reasons("{\"crc\":\"ABCDEF01\",}\n") == [.frame])
        #expect(reasons("{\"crc\":\"00000000\"}\n") == [.frame])
        #expect(reasons("{\"crc\":\"00000000\",\n") == [.frame])
        #expect(reasons("{\"crc\":\"\n") == [.frame])
        #expect(reasons("{\"crc\": \"00000000\",}\n") == [.frame])
        let computed = Array("}".utf8).withUnsafeBytes { CRC32C.checksum($0) }
        #expect(reasons("{\"crc\":\"00000000\",}\n") == [.checksum(stated: 0, computed: computed)])
        #expect(reasons(line.replacing("\n", with: "\r\n")).count == 1, "CR is data")
    }

    @Test func blankAndIntactBytesSayWhatTheyAre() {
        func invalid(_ bytes: [UInt8]) -> [(isBlank: Bool, isIntact: Bool)] {
            var seen: [(Bool, Bool)] = []
            ByteFile(bytes).forEachLine { line in
                if case .invalid(let invalid, _) = line { seen.append((invalid.isBlank, invalid.isIntact)) }
            }
            return seen
        }
        #expect(invalid([0, 0, 0]).allSatisfy { $0 == (true, false) })
        #expect(invalid([0, 0x0A]).allSatisfy { $0 == (true, false) })
        #expect(invalid([0, 0x20]).allSatisfy { $0 == (false, false) })
        #expect(invalid(LogBuilder.line(members: [0x7D])).allSatisfy { $0 == (false, true) })
        #expect(
            invalid(LogBuilder.line(members: Array(#""format":2,"#.utf8))).allSatisfy { $0 == (false, true) }
        )
        #expect(invalid(Array("{\"crc\":\"00000000\",}\n".utf8)).allSatisfy { $0 == (false, false) })
    }
}
