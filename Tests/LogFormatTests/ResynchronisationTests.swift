import LogFormat
import TestSupport
import Testing

/// What is found behind and inside of damage.
@Suite struct ResynchronisationTests {
    private func contents(_ file: LogBuilder, windowSize: Int = 256 << 10) -> [ByteFile.Item] {
        let items = ByteFile(file.bytes).items(windowSize: windowSize)
        #expect(items.tile(file.bytes.count))
        return items
    }

    @Test func everyNumberOfNULsBeforeALineLeavesItFound() {
        for count in 1...200 {
            var file = LogBuilder()
            file.raw([UInt8](repeating: 0, count: count))
            let line = file.put("a", "1")
            for windowSize in [64, 128, 1 << 10] {
                let items = contents(file, windowSize: windowSize)
                #expect(items.records.map(\.line) == [file[line]], "\(count) NULs, window \(windowSize)")
                #expect(items.last?.place.isInsideDamagedLine == true)
                #expect(items.last?.place.line == 1)
            }
        }
    }

    @Test func everyLineJoinedToTheOneBeforeIsFound() {
        for byte in 0...0xFF as ClosedRange<UInt8> where byte != 0x0A {
            var file = LogBuilder()
            let first = file.put("a", "1")
            let second = file.put("b", "2")
            var bytes = file.bytes
            bytes[first.upperBound - 1] = byte
            let items = ByteFile(bytes).items()
            #expect(items.records.map(\.line) == [file[second]], "LF became \(byte)")
            #expect(items.map(\.place.range) == [0..<UInt64(first.upperBound), place(second)])
        }
    }

    @Test func everyTornBeginningOfALineLeavesTheNextFound() {
        var whole = LogBuilder()
        let first = whole.put("a", "1")
        let second = whole.put("b", "2")
        for length in 1..<first.count {
            let bytes = Array(whole.bytes[..<length]) + whole[second]
            let items = ByteFile(bytes).items(windowSize: 64)
            #expect(items.tile(bytes.count))
            #expect(items.records.map(\.line) == [whole[second]], "\(length) bytes of the line before")
        }
    }

    @Test func everyPileOfTornBeginningsLeavesTheLineFound() {
        for count in 1...20 {
            var file = LogBuilder()
            for piece in 0..<count { file.raw(String(#"{"crc":"00000000","seq":1,"#.prefix(5 + piece))) }
            let line = file.put("a", "1")
            #expect(contents(file).records.map(\.line) == [file[line]], "\(count) pieces")
        }
    }

    @Test func aLineInsideAValueOfASoundLineIsNotSeen() {
        var inner = LogBuilder()
        inner.put("inner", "1")
        let text = String(decoding: inner.bytes.dropLast(), as: UTF8.self)
        var file = LogBuilder()
        file.put("outer", text)
        let items = contents(file)
        #expect(items.records.map(\.id) == [Array("\"outer\"".utf8)])
        #expect(items.count == 1)
    }

    @Test func aLineInsideAValueOfADamagedLineIsFoundOnlyWhereItsChecksumHoldsAndIsMarked() {
        var inner = LogBuilder()
        inner.put("inner", "1")
        let text = String(decoding: inner.bytes.dropLast(), as: UTF8.self)
        var file = LogBuilder()
        file.put("outer", text)
        // Behind the inner line stands the outer one's brace: its checksum does not hold to the LF.
        var bytes = file.bytes
        bytes[10] ^= 1
        #expect(ByteFile(bytes).items().records == [])
        // Should the brace get lost with an LF in its place, the line is seen, and said to be inside.
        bytes[bytes.count - 2] = 0x0A
        let items = ByteFile(bytes).items()
        #expect(items.records.map(\.id) == [Array("\"inner\"".utf8)])
        #expect(items.validLines.allSatisfy { $0.place.isInsideDamagedLine })
    }

    @Test func theBytesBehindAnIntactLineWithoutAShapeAreItsOwn() {
        var inner = LogBuilder()
        inner.put("inner", "1")
        let members = #"{"x":"# + String(decoding: inner.bytes.dropLast(), as: UTF8.self)
        var file = LogBuilder()
        file.line(members: members)
        let next = file.put("a", "1")
        let items = contents(file)
        #expect(items.reasons == [.shape])
        #expect(items.records.map(\.line) == [file[next]])
    }

    @Test func aLaterLineBehindSeveralInOneIsTheFirstWhoseChecksumHolds() {
        var file = LogBuilder()
        file.raw("x")
        let first = file.put("a", "1")
        file.put("b", "2")
        var bytes = file.bytes
        bytes[first.upperBound - 1] = 0
        let items = ByteFile(bytes).items()
        #expect(items.records.map(\.id) == [Array("\"b\"".utf8)])
        #expect(items.tile(bytes.count))
    }

    private func place(_ range: Range<Int>) -> Range<UInt64> {
        UInt64(range.lowerBound)..<UInt64(range.upperBound)
    }
}
