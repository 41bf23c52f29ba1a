import LogInspection
import Testing

/// Every place of damage in a small store, judged as the rules say.
struct DamageTests {
    /// Each record is covered by a later line; the mark at the end is covered by none.
    private let log = FileBuilder.log()
        .put(1, "a").put(2, "b", synced: 1).put(3, "c", synced: 2, more: true).delete(4, "a").raw("\n\n")
        .put(5, "d", synced: 4).mark(6, synced: 5)

    private func verdict(_ bytes: [UInt8]) throws -> Verdict {
        let files = MemoryFileSystem(["s/log-0000000001.jsonl": bytes], directories: ["s": []])
        return try Verification.run("s", files, pause: {}).verdict
    }

    @Test func everyFlippedBitIsCorruptionUnlessOnlyTheLastMarkIsHit() throws {
        let mark = log.offset(ofLine: 8)
        for index in log.bytes.indices {
            for bit in 0..<8 {
                var bytes = log.bytes
                bytes[index] ^= 1 << bit
                let expected: Verdict = index >= mark ? .tornTail : .corruption
                #expect(try verdict(bytes) == expected, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func everyPrefixIsSoundAtALineEndAndTornElsewhere() throws {
        let headerEnd = log.offset(ofLine: 2)
        let inBatch = (log.offset(ofLine: 4) + 1)..<log.offset(ofLine: 6)
        for end in 0...log.bytes.count {
            let prefix = Array(log.bytes[..<end])
            let expected: Verdict =
                if end < headerEnd {
                    .corruption
                } else if prefix.last == 0x0A, !inBatch.contains(end) {
                    .sound
                } else {
                    .tornTail
                }
            #expect(try verdict(prefix) == expected, "prefix of \(end) bytes")
        }
    }

    @Test func everyCommandSurvivesEveryDamagedByte() throws {
        for index in stride(from: 0, to: log.bytes.count, by: 3) {
            for value: UInt8 in [0x00, 0x0A, 0x22, 0xFF] where log.bytes[index] != value {
                var bytes = log.bytes
                bytes[index] = value
                let files = MemoryFileSystem(["s/log-0000000001.jsonl": bytes], directories: ["s": []])
                let tool = Tool(fileSystem: files)
                let code = tool("verify", "s").code
                for arguments in [["ls", "s", "--values"], ["dump", "s"], ["info", "s"]] {
                    #expect(tool.run(arguments).code == code, "byte \(index) as \(value)")
                }
                #expect([0, 1, 2, 4].contains(tool("get", "s", "b").code))
            }
        }
    }

    @Test func linesAreReadOnPastTheDamage() throws {
        let damaged = FileBuilder.log().put(1, "a").raw("broken\n").put(3, "b").put(4, "c", synced: 3)
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": damaged]))
        let list = tool("ls", "s", "--json")
        #expect(list.code == 2)
        #expect(list.lines.map { $0.prefix(9) } == ["{\"id\":\"a\"", "{\"id\":\"b\"", "{\"id\":\"c\""])
        #expect(list.diagnostics.contains("record 2 is lost"))
        let get = tool("get", "s", "x")
        #expect(get.code == 2)
        #expect(get.diagnostics.contains("has no record \"x\""))
    }

    @Test func aBatchWithAMissingMemberDoesNotCount() throws {
        let damaged = FileBuilder.log().put(1, "a").put(2, "b", more: true).raw("broken\n").put(
            5,
            "c",
            synced: 4
        )
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": damaged]))
        #expect(
            try objects(tool("ls", "s", "--json").output).compactMap { $0["id"] as? String } == ["a", "c"]
        )
    }

    @Test func aLineInsideADamagedLineIsShownButNotTrusted() throws {
        let inner = String(decoding: FileBuilder().put(2, "b").bytes.dropLast(), as: UTF8.self)
        let damaged = FileBuilder.log().put(1, "a").raw("{\"broken\"").raw(inner + "\n").put(
            3,
            "c",
            synced: 2
        )
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": damaged]))
        #expect(
            try objects(tool("ls", "s", "--json").output).compactMap { $0["id"] as? String } == ["a", "c"]
        )
        let dump = try objects(tool("dump", "s", "--json").output)
        #expect(dump.compactMap { $0["insideDamagedLine"] as? Bool } == [true])
    }
}
