import LogEngine
import LogFormat
import LogStorage
import Synchronization
import TestSupport
import Testing

@Suite("walstore compact")
struct CompactTests {
    @Test("Every fixture that opens keeps its state and verifies as sound afterwards", arguments: Fixture.all)
    func everyFixture(_ fixture: Fixture) throws {
        let disk = try fixture.disk()
        let before = disk.meaningfulFiles
        let tool = Tool.on(disk)
        let result = tool("compact", "/store", "--json")
        #expect(disk.heldLockCount == 0 && disk.openFileCount == 0)
        guard fixture.opens else {
            #expect(result.code == (fixture.verdict == "newerFormat" ? 3 : 2))
            #expect(result.output.isEmpty && disk.meaningfulFiles == before)
            return
        }
        #expect(result.code == 0, "\(result.diagnostics)")
        #expect(try disk.state() == fixture.state)
        // A damaged snapshot that opening has rebuilt is sound then too.
        #expect(tool("verify", "/store").code == 0)
        let summary = try result.summary()
        #expect(
            Set(summary.keys) == [
                "type", "compacted", "generation", "records", "stateBytes", "bytesBefore", "bytesAfter",
                "cutBytes",
            ]
        )
        #expect(summary["records"] as? Int == fixture.state?.count)
        let logs = disk.files.filter { $0.key.hasSuffix(".jsonl") }
        #expect(summary["bytesAfter"] as? Int == logs.values.reduce(0) { $0 + $1.count })
        let again = tool("compact", "/store")
        #expect(again.code == 0 && again.output.contains("nothing to compact"), "\(again.output)")
        #expect(again.diagnostics.isEmpty)
    }

    @Test("Bytes before and after and the records are printed; the state takes fewer")
    func figures() throws {
        var log = LogBuilder()
        log.header()
        for index in 0..<100 { log.put("id\(index % 3)", "{\"n\":\(index)}") }
        log.mark()
        let disk = SimulatedDisk.holding(log)
        let result = Tool.on(disk)("compact", "/store", "--json")
        let summary = try result.summary()
        #expect(summary["compacted"] as? Bool == true && summary["records"] as? Int == 3)
        #expect(summary["bytesBefore"] as? Int == log.bytes.count)
        #expect((summary["stateBytes"] as? Int ?? .max) < 700)
        let text = Tool.on(SimulatedDisk.holding(log))("compact", "/store")
        #expect(text.lines[0].hasPrefix("/store: 3 live records in "))
        #expect(text.lines[1].hasPrefix("all files: \(log.bytes.count) bytes before, "))
        #expect(text.diagnostics.isEmpty)
    }

    @Test("A torn tail that opening cut is reported on standard error and kept")
    func tornTail() throws {
        let disk = SimulatedDisk.holding(tornLog())
        let result = Tool.on(disk)("compact", "/store", "--json")
        #expect(result.code == 0)
        #expect(result.diagnostics.contains("walstore: The torn tail of log-0000000001.jsonl was cut"))
        #expect(result.diagnostics.contains("/store/quarantine/log-0000000001.jsonl."))
        #expect((try result.summary()["cutBytes"] as? Int ?? 0) > 100)
    }

    @Test("A damaged snapshot that was rebuilt is reported")
    func rebuilt() throws {
        let fixture = try #require(Fixture.all.first { $0.name.hasPrefix("36") })
        let result = Tool.on(try fixture.disk())("compact", "/store")
        #expect(result.diagnostics.contains("Snapshot 2 was damaged"))
    }

    @Test("Damage is refused with its place and the way out")
    func damage() throws {
        let result = Tool.on(SimulatedDisk.holding(damagedLog()))("compact", "/store")
        #expect(result.code == 2)
        #expect(result.diagnostics.contains("line 3"))
        #expect(result.diagnostics.contains("walstore repair --out DIRECTORY"))
    }

    @Test("A store that someone has open is refused by name")
    func inUse() throws {
        let disk = SimulatedDisk.holding(tornLog())
        let lock = try disk.holdLock()
        let before = disk.files
        let result = Tool.on(disk)("compact", "/store")
        #expect(result.code == 75 && result.diagnostics.contains("process 7 (other) since then"))
        #expect(disk.files == before)
        withExtendedLifetime(lock) {}
    }

    @Test("Where no store is, there is nothing to compact")
    func noStore() {
        let disk = SimulatedDisk()
        disk.addDirectory("/empty")
        disk.setContents("/file", [])
        for path in ["/none", "/empty", "/file"] {
            #expect(Tool.on(disk)("compact", path).code == 66, "\(path)")
        }
        #expect(disk.files.count == 1)
    }

    @Test("Every failing call gives an exit code and leaves a store with the same state")
    func failingCalls() throws {
        let sound = SimulatedDisk.holding(tornLog())
        let state = ["\"a\"": "{\"n\":1}", "\"b\"": "{\"n\":2}"]
        let counted = sound.copy()
        #expect(Tool.on(counted)("compact", "/store").code == 0)
        for call in 0..<counted.callCount {
            let disk = sound.copy()
            disk.fail(.call(call), code: 28)
            let result = Tool.on(disk)("compact", "/store")
            #expect(result.code == 0 || result.code == 74, "call \(call): \(result.diagnostics)")
            #expect(disk.openFileCount == 0 && disk.heldLockCount == 0)
            disk.clearFaults()
            #expect(try disk.state() == state, "call \(call)")
            #expect(Tool.on(disk)("compact", "/store").code == 0, "call \(call)")
            #expect(try disk.state() == state, "call \(call)")
        }
    }

    @Test("Deletes that the store keeps for readers of its changes stay")
    func deletes() throws {
        var snapshot = LogBuilder()
        snapshot.header(
            .snapshot,
            generation: 2,
            firstSequenceNumber: SequenceNumber(4),
            deletesSince: SequenceNumber(2)
        )
        snapshot.put("a", "1", number: SequenceNumber(1))
        snapshot.delete("b", number: SequenceNumber(3))
        snapshot.footer()
        var log = LogBuilder()
        log.header(.log, generation: 2, firstSequenceNumber: SequenceNumber(4))
        log.delete("a")
        log.mark()
        let disk = SimulatedDisk.holding([
            "snapshot-0000000002.jsonl": snapshot.bytes, "log-0000000002.jsonl": log.bytes,
        ])
        #expect(Tool.on(disk)("compact", "/store").code == 0)
        let dump = Tool.on(disk)("dump", "/store", "--op", "delete", "--json")
        let files = try dump.objects().filter { $0["file"] as? String == "snapshot-0000000003.jsonl" }
        #expect(files.compactMap { $0["seq"] as? Int } == [3, 4])
    }

    @Test("A store that has used up its numbers is not given a log that no one reads")
    func lastNumber() throws {
        var log = LogBuilder()
        log.header(.log, generation: 2, firstSequenceNumber: .highest)
        log.put("a", "1")
        var snapshot = LogBuilder()
        snapshot.header(.snapshot, generation: 2, firstSequenceNumber: .highest)
        snapshot.footer()
        let disk = SimulatedDisk.holding([
            "snapshot-0000000002.jsonl": snapshot.bytes, "log-0000000002.jsonl": log.bytes,
        ])
        #expect(Tool.on(disk)("compact", "/store").code == 74)
        #expect(try disk.state() == ["\"a\"": "1"])
    }

    @Test("Progress shows on a terminal, and the line is cleared")
    func progress() {
        let shown = Mutex<[String]>([])
        var tool = Tool.on(SimulatedDisk.holding(tornLog()))
        tool.progress = { line in shown.withLock { $0.append(line) } }
        let result = tool("compact", "/store")
        #expect(result.code == 0)
        let lines = shown.withLock { $0 }
        #expect(lines.contains("walstore: compacting, 100 %") && lines.last == "")
        #expect(!result.diagnostics.contains("%"))
    }
}
