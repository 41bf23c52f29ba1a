import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

@Suite("walstore quarantine")
struct QuarantineTests {
    private let open: @Sendable () -> Int64 = { 1_796_000_050_000 }

    /// A store whose torn tail an opening has cut; returns the name of what it kept.
    private func cut(_ log: LogBuilder = tornLog()) throws -> (disk: SimulatedDisk, name: String) {
        let disk = SimulatedDisk.holding(log)
        try write([], to: disk)
        let names = disk.sortedNames(in: "/store/quarantine").filter { $0.hasSuffix(".bytes") }
        return (disk, String(try #require(names.first).dropLast(6)))
    }

    /// Opens the store as a program would, saves puts, and closes it.
    private func write(_ ids: [CanonicalID], to disk: SimulatedDisk) throws {
        let store = try UntypedStore(
            StoreDirectory(path: "/store", fileSystem: disk),
            note: "test",
            now: open
        )
        for id in ids {
            try store.append([
                EncodedMutation(id: id, operation: .put(value: Array("\"new\"".utf8), schema: 1))
            ])
        }
        try store.close()
    }

    @Test("What an opening cut is listed with its place, length, time and reason")
    func list() throws {
        let (disk, name) = try cut()
        let before = disk.files
        let result = Tool.on(disk)("quarantine", "list", "/store", "--json")
        #expect(result.code == 0)
        let piece = try #require(try result.objects().first)
        #expect(Set(piece.keys) == ["name", "file", "offset", "length", "time", "reason"])
        #expect(piece["name"] as? String == name && piece["file"] as? String == "log-0000000001.jsonl")
        #expect(piece["length"] as? Int == before["/store/quarantine/\(name).bytes"]?.count)
        let text = Tool.on(disk)("quarantine", "list", "/store")
        #expect(text.lines.count == 1 && text.lines[0].hasPrefix("\(name): "))
        #expect(text.lines[0].contains("an append was cut short at record 3"))
        #expect(disk.files == before)
    }

    @Test("A store without quarantine has nothing in it, and where no store is there is an error")
    func nothing() {
        let disk = SimulatedDisk.holding(damagedLog())
        disk.addDirectory("/empty")
        let tool = Tool.on(disk)
        #expect(tool("quarantine", "list", "/store").output == "/store: nothing is in quarantine\n")
        #expect(tool("quarantine", "list", "/store", "--json").output.isEmpty)
        for command in [["list"], ["show", "x"], ["restore", "x"]] {
            for path in ["/none", "/store/log-0000000001.jsonl"] {
                let arguments = ["quarantine", command[0], path] + command.dropFirst()
                #expect(tool.run(arguments).code == 66, "\(arguments)")
            }
        }
        #expect(tool("quarantine", "list", "/empty").code == 66)
        #expect(tool("quarantine", "show", "/store", "log-0000000001.jsonl.5.1").code == 4)
        #expect(tool("quarantine", "restore", "/store", "log-0000000001.jsonl.5.1").code == 4)
    }

    @Test("Bytes without a note and a note without bytes are listed with what is wrong")
    func problems() throws {
        let (disk, name) = try cut()
        disk.setContents("/store/quarantine/\(name).json", Array("{\"file\":".utf8))
        disk.setContents("/store/quarantine/log-0000000009.jsonl.7.1.json", [])
        let pieces = try Tool.on(disk)("quarantine", "list", "/store", "--json").objects()
        #expect(
            pieces.compactMap { $0["problem"] as? String } == [
                "the note is missing or unreadable", "the bytes are missing",
            ]
        )
        #expect(pieces.map { $0["offset"] as? Int }.last == 7)
        #expect(Tool.on(disk)("quarantine", "show", "/store", "log-0000000009.jsonl.7.1").code == 0)
        let restored = Tool.on(disk)("quarantine", "restore", "/store", name)
        #expect(restored.code == 0 && restored.output.contains("2 records restored"), "\(restored)")
    }

    @Test("The bytes are shown line by line as far as they are lines")
    func show() throws {
        let (disk, name) = try cut()
        let before = disk.files
        let tool = Tool.on(disk)
        for spelling in [name, name + ".bytes", name + ".json"] {
            let lines = try tool("quarantine", "show", "/store", spelling, "--json").objects()
            #expect(lines.map { $0["type"] as? String } == ["note", "damage", "record", "record"])
            #expect(lines[1]["seq"] as? Int == 3 && lines[1]["id"] as? String == "lost")
            #expect(Set(lines[2].keys) == ["type", "offset", "seq", "at", "op", "id", "value", "schema"])
            #expect(lines[3]["op"] as? String == "delete" && lines[3]["id"] as? String == "b")
        }
        let raw = tool("quarantine", "show", "/store", name, "--raw")
        #expect(Array(raw.output.utf8) == before["/store/quarantine/\(name).bytes"])
        let text = tool("quarantine", "show", "/store", name)
        #expect(text.lines.count == 4 && text.lines[1].contains("looks like record 3 of \"lost\""))
        #expect(disk.files == before)
    }

    @Test("Lost records come back as new ones: values, schema and deletes")
    func roundTrip() throws {
        let (disk, name) = try cut()
        let before = disk.meaningfulFiles
        #expect(try disk.state() == ["\"a\"": "{\"n\":1}", "\"b\"": "{\"n\":2}"])
        let dry = Tool.on(disk)("quarantine", "restore", "/store", name, "--dry-run", "--json")
        #expect(dry.code == 0 && disk.meaningfulFiles == before)

        let result = Tool.on(disk)("quarantine", "restore", "/store", name, "--json")
        #expect(result.code == 0, "\(result.diagnostics)")
        #expect(result.lines.dropLast() == dry.lines.dropLast())
        let restored = try result.objects("restored")
        #expect(restored.compactMap { $0["seq"] as? Int } == [4, 5])
        #expect(Set(restored[0].keys) == ["type", "seq", "newSeq", "op", "id"])
        #expect(try result.objects("damage").count == 1)
        let summary = try result.summary()
        #expect(
            Set(summary.keys) == ["type", "name", "written", "restored", "skipped", "damaged", "lastSeq"]
        )
        #expect(summary["written"] as? Bool == true)
        #expect(try dry.summary()["written"] as? Bool == false)

        #expect(try disk.state() == ["\"a\"": "{\"n\":4}"])
        let records = try Tool.on(disk)("dump", "/store", "--json").objects()
        let batch = records.filter {
            restored.compactMap { $0["newSeq"] as? Int }.contains($0["seq"] as? Int)
        }
        #expect(batch.compactMap { $0["op"] as? String } == ["put", "delete"])
        #expect(batch[0]["schema"] as? Int == 3 && batch[0]["more"] as? Bool == true)
        #expect(Tool.on(disk)("verify", "/store").code == 0)
        for (path, bytes) in before where path.contains("quarantine") {
            #expect(disk.contents(of: path) == bytes)
        }
    }

    @Test("What was restored already is skipped the second time")
    func twice() throws {
        let (disk, name) = try cut()
        #expect(Tool.on(disk)("quarantine", "restore", "/store", name).code == 0)
        let state = try disk.state()
        let again = Tool.on(disk)("quarantine", "restore", "/store", name, "--json")
        #expect(again.code == 0)
        #expect(try again.objects("restored").isEmpty)
        #expect(try again.objects("skipped").count == 2)
        #expect(try again.summary()["written"] as? Bool == false)
        #expect(try disk.state() == state)
    }

    /// After a cut its numbers are given away anew, so the new record has a lower one than the lost.
    @Test("A record whose id was written again since the cut is skipped unless it may be overwritten")
    func writtenSince() throws {
        let (disk, name) = try cut()
        try write([CanonicalID("a")], to: disk)
        let number = try Tool.on(disk)("get", "/store", "a", "--json").summary()["seq"] as? Int
        #expect(number == 4)
        for compacts in [0, 1, 2] {
            let store = disk.copy()
            for _ in 0..<compacts {
                #expect(Tool.on(store)("compact", "/store").code == 0)
                try write([CanonicalID("other")], to: store)
            }
            let result = Tool.on(store)("quarantine", "restore", "/store", name, "--json")
            let skipped = try result.objects("skipped")
            #expect(skipped.compactMap { $0["seq"] as? Int } == [4], "\(compacts): \(result.output)")
            #expect(skipped.first?["reason"] as? String == "writtenSince")
            #expect(skipped.first?["liveSeq"] as? Int == number)
            #expect(try store.state()["\"a\""] == "\"new\"")
            #expect(try store.state()["\"b\""] == nil)
        }
        let text = Tool.on(disk.copy())("quarantine", "restore", "/store", name)
        #expect(text.output.contains("skipped: record 4, put of \"a\": its id was written again since"))
        #expect(
            Tool.on(disk)("quarantine", "restore", "/store", name, "--overwrite").code == 0
        )
        #expect(try disk.state() == ["\"a\"": "{\"n\":4}"])
    }

    @Test("The first number behind the cut counts as written since, though the lost ones are higher")
    func lowerNumber() throws {
        var log = LogBuilder()
        log.header()
        log.put("a", "{\"n\":1}")
        log.raw("{\"crc\":\"12\n")
        log.put("z", "{\"n\":9}", number: SequenceNumber(9))
        let (disk, name) = try cut(log)
        try write([CanonicalID("z")], to: disk)
        let result = Tool.on(disk)("quarantine", "restore", "/store", name, "--json")
        #expect(try result.objects("skipped").count == 1, "\(result.output)")
        #expect(try disk.state()["\"z\""] == "\"new\"")
    }

    @Test("An id comes back in the spelling that is live, or no program would open the store")
    func spelling() throws {
        var log = LogBuilder()
        log.header()
        log.put("\u{E9}", "1")
        log.put("x", "2")
        log.raw("{\"crc\":\"12\n")
        log.put("e\u{301}", "4", number: SequenceNumber(4))
        let (disk, name) = try cut(log)
        #expect(Tool.on(disk)("quarantine", "restore", "/store", name).code == 0)
        #expect(try disk.state().count == 2)
        #expect(try Tool.on(disk)("get", "/store", "\u{E9}", "--json").summary()["value"] as? Int == 4)
    }

    @Test("Records of a batch that was cut short come back and are told apart")
    func incompleteBatch() throws {
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        log.put("b", "2", more: true)
        log.put("c", "3", more: true)
        let (disk, name) = try cut(log)
        let result = Tool.on(disk)("quarantine", "restore", "/store", name, "--json")
        #expect(try result.objects("restored").compactMap { $0["incompleteBatch"] as? Bool } == [true, true])
        #expect(try disk.state().count == 3)
    }

    @Test("Bytes without a sound record bring nothing back")
    func noRecord() throws {
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        log.raw("{\"crc\":\"12345678\",\"seq\":2")
        let (disk, name) = try cut(log)
        let before = disk.meaningfulFiles
        let result = Tool.on(disk)("quarantine", "restore", "/store", name)
        #expect(result.code == 4 && result.diagnostics.contains("holds no sound record"))
        #expect(disk.meaningfulFiles == before)
    }

    @Test("Bytes of a snapshot are refused, by their name and by what they hold")
    func snapshot() throws {
        let fixture = try #require(Fixture.all.first { $0.name.hasPrefix("36") })
        let disk = try fixture.disk()
        #expect(Tool.on(disk)("compact", "/store").code == 0)
        let name = try #require(
            try Tool.on(disk)("quarantine", "list", "/store", "--json").objects().first?["name"] as? String
        )
        #expect(name == "snapshot-0000000002.jsonl.0.1")
        #expect(Tool.on(disk)("quarantine", "show", "/store", name, "--json").code == 0)
        let before = disk.files
        let refused = Tool.on(disk)("quarantine", "restore", "/store", name)
        #expect(refused.code == 64 && refused.diagnostics.contains("quarantine show"))
        let bytes = try #require(disk.contents(of: "/store/quarantine/\(name).bytes"))
        #expect(disk.files == before)
        disk.setContents("/store/quarantine/log-0000000002.jsonl.0.1.bytes", bytes)
        let renamed = Tool.on(disk)("quarantine", "restore", "/store", "log-0000000002.jsonl.0.1")
        #expect(renamed.code == 64 && renamed.diagnostics.contains("was a snapshot"))
    }

    @Test("A store that someone has open is not written to; it can be looked at")
    func inUse() throws {
        let (disk, name) = try cut()
        let lock = try disk.holdLock()
        let before = disk.files
        #expect(Tool.on(disk)("quarantine", "restore", "/store", name).code == 75)
        #expect(Tool.on(disk)("quarantine", "restore", "/store", name, "--dry-run").code == 75)
        #expect(Tool.on(disk)("quarantine", "list", "/store").code == 0)
        #expect(Tool.on(disk)("quarantine", "show", "/store", name).code == 0)
        #expect(disk.files == before)
        withExtendedLifetime(lock) {}
    }

    @Test("A damaged store is not written to")
    func damaged() throws {
        let (disk, name) = try cut()
        try write([CanonicalID("x")], to: disk)
        var bytes = try #require(disk.contents(of: "/store/log-0000000001.jsonl"))
        bytes[200] ^= 1
        disk.setContents("/store/log-0000000001.jsonl", bytes)
        let before = disk.meaningfulFiles
        for dry in [[], ["--dry-run"]] {
            #expect(Tool.on(disk).run(["quarantine", "restore", "/store", name] + dry).code == 2)
        }
        #expect(disk.meaningfulFiles == before)
    }

    @Test("Every failing call gives an exit code, and all records come back or none")
    func failingCalls() throws {
        let (sound, name) = try cut()
        let before = try sound.state()
        let counted = sound.copy()
        let start = counted.callCount
        #expect(Tool.on(counted)("quarantine", "restore", "/store", name).code == 0)
        let after = try counted.copy().state()
        for call in start..<counted.callCount {
            let disk = sound.copy()
            disk.fail(.call(call), code: 5)
            let result = Tool.on(disk)("quarantine", "restore", "/store", name)
            disk.clearFaults()
            #expect(result.code == 0 || result.code == 74, "call \(call): \(result.diagnostics)")
            let state = try disk.state()
            #expect(state == before || state == after, "call \(call)")
            if result.code == 0 { #expect(state == after) }
            #expect(disk.openFileCount == 0 && disk.heldLockCount == 0)
        }
    }
}
