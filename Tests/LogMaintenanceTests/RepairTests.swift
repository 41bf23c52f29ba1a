import LogEngine
import LogFormat
import LogInspection
import LogMaintenance
import LogStorage
import TestSupport
import Testing

@Suite("walstore repair")
struct RepairTests {
    @Test("The fixtures are there")
    func fixtures() {
        #expect(Fixture.all.count == 31)
    }

    @Test("Every fixture is saved into a store that verifies as sound", arguments: Fixture.all)
    func everyFixture(_ fixture: Fixture) throws {
        let disk = try fixture.disk()
        let before = disk.files
        let tool = Tool.on(disk)
        let result = tool("repair", "/store", "--out", "/saved", "--json")
        #expect(before.allSatisfy { disk.contents(of: $0.key) == $0.value })
        guard fixture.verdict != "newerFormat" else {
            #expect(result.code == 3 && result.output.isEmpty)
            #expect(disk.files == before)
            return
        }
        #expect(result.code == 0, "\(result.diagnostics)")
        let verified = tool("verify", "/saved", "--json")
        #expect(verified.code == 0, "\(verified.output)")
        let summary = try result.summary()
        #expect(summary["written"] as? Bool == true && summary["store"] as? String == Tool.newStore)
        let live = try tool("ls", "/saved", "--json").objects().count
        #expect(summary["liveRecords"] as? Int == live)
        if fixture.opens {
            #expect(try disk.state("/saved") == fixture.state)
            #expect(summary["missing"] as? Int == 0)
        } else {
            #expect(summary["complete"] as? Bool == false)
        }
        if fixture.verdict == "sound" { #expect(summary["complete"] as? Bool == true) }
    }

    /// What is saved of the fixtures that do not open, and what is said of the rest.
    @Test(
        "Of a damaged fixture every sound record is saved and the rest is listed",
        arguments: [
            ("18-gap-in-padding", ["q-001", "q-003"], 0, ["2"], []),
            ("21-corrupt-middle", ["q-001", "q-003"], 1, ["2"], []),
            ("22-foreign-line", ["q-001", "q-002"], 1, [], []),
            ("23-repeated", ["q-001", "q-002", "q-003"], 0, [], ["outOfOrder"]),
            ("24-gap", ["q-001", "q-003"], 0, ["2"], []),
            ("25-crlf", [], 3, [], []),
            ("26-no-header", ["q-001", "q-002"], 1, [], []),
            ("35-snapshot-no-footer", ["q-002", "q-003"], 1, [], []),
            ("37-missing-log", ["q-001", "q-003"], 1, ["2"], []),
            ("38-old-log-torn", ["q-001", "q-003"], 1, ["2"], []),
        ] as [(String, [String], Int, [String], [String])]
    )
    func damagedFixtures(
        _ name: String,
        _ ids: [String],
        _ faults: Int,
        _ missing: [String],
        _ leftOut: [String]
    ) throws {
        let fixture = try #require(Fixture.all.first { $0.name == name })
        let disk = try fixture.disk()
        let result = Tool.on(disk)("repair", "/store", "--out", "/saved", "--json")
        #expect(try disk.state("/saved").keys.sorted() == ids.map { "\"\($0)\"" }, "\(result.output)")
        #expect(try result.objects("fault").count == faults, "\(result.output)")
        let runs = try result.objects("missing").map { run in
            run["from"] as? Int == run["to"] as? Int ? "\(run["to"] ?? "")" : "\(run)"
        }
        #expect(runs == missing, "\(result.output)")
        #expect(try result.objects("leftOut").compactMap { $0["reason"] as? String } == leftOut)
    }

    @Test("A dry run writes nothing and says the same", arguments: Fixture.all)
    func dryRun(_ fixture: Fixture) throws {
        let disk = try fixture.disk()
        let before = disk.files
        for format in [["--json"], []] {
            let dry = Tool.on(disk).run(["repair", "/store", "--out", "/saved", "--dry-run"] + format)
            #expect(disk.files == before && disk.operationCount == 0)
            let written = Tool.on(disk.copy()).run(["repair", "/store", "--out", "/saved"] + format)
            #expect(dry.code == written.code)
            let told = dry.lines.dropLast(format.isEmpty ? 2 : 1)
            #expect(told == written.lines.dropLast(format.isEmpty ? 2 : 1))
        }
    }

    @Test("What is lost is told with its place, number, id and reason")
    func losses() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        let result = Tool.on(disk)("repair", "/store", "--out", "/saved", "--json")
        let fault = try #require(try result.objects("fault").first)
        #expect(
            Set(fault.keys) == ["type", "file", "line", "offset", "length", "reason", "seq", "id"]
        )
        #expect(fault["line"] as? Int == 3 && fault["seq"] as? Int == 2 && fault["id"] as? String == "b")
        let missing = try #require(try result.objects("missing").first)
        #expect(missing["from"] as? Int == 2 && missing["to"] as? Int == 2)
        #expect(
            Set(try result.summary().keys) == [
                "type", "out", "written", "complete", "liveRecords", "soundRecords", "faults", "missing",
                "leftOut", "unlisted", "generation", "nextSeq", "store",
            ]
        )
        let text = Tool.on(SimulatedDisk.holding(damagedLog()))("repair", "/store", "--out", "/saved")
        #expect(text.lines[0].hasPrefix("log-0000000001.jsonl: line 3, offset "))
        #expect(text.lines[0].hasSuffix("; it looks like record 2 of \"b\""))
        #expect(text.lines[1] == "missing: record 2")
        #expect(
            text.lines[2]
                == "/store: 2 live records saved into /saved and read back; 1 fault, 1 number missing, "
                + "0 records left out"
        )
    }

    @Test("Records that only show inside a damaged line are listed, not saved")
    func insideDamagedLine() throws {
        var log = LogBuilder()
        log.header()
        let first = log.put("a", "1")
        log.put("b", "2")
        log.put("c", "3", synced: SequenceNumber(2))
        var bytes = log.bytes
        bytes[first.upperBound - 1] = 0x20
        let disk = SimulatedDisk.holding(["log-0000000001.jsonl": bytes])
        let result = Tool.on(disk)("repair", "/store", "--out", "/saved", "--json")
        let leftOut = try #require(try result.objects("leftOut").first)
        #expect(Set(leftOut.keys) == ["type", "file", "offset", "seq", "id", "reason"])
        #expect(leftOut["reason"] as? String == "insideDamagedLine" && leftOut["id"] as? String == "b")
        #expect(try disk.state("/saved").keys.sorted() == ["\"c\""])
    }

    @Test("A place that is taken or lies in the store is refused, and nothing is written")
    func target() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        disk.setContents("/taken/something", [1])
        disk.setContents("/file", [1])
        let before = disk.files
        let tool = Tool.on(disk)
        for dry in [[], ["--dry-run"]] {
            for out in ["/taken", "/file", "/file/below"] {
                let result = tool.run(["repair", "/store", "--out", out] + dry)
                #expect(result.code == 73, "\(out)")
                #expect(result.output.isEmpty && disk.files == before)
            }
            for out in ["/store", "/store/", "/store/new", "/x/../store/new", "/store/./x/.."] {
                let result = tool.run(["repair", "/store", "--out", out] + dry)
                #expect(result.code == 64, "\(out)")
                #expect(disk.files == before)
            }
        }
        disk.addDirectory("/empty")
        #expect(tool("repair", "/store", "--out", "/empty").code == 0)
        #expect(tool("repair", "/store", "--out", "/deep/er/saved").code == 0)
        #expect(tool("repair", "/store", "--out", "/deep/er/saved").code == 73)
    }

    @Test("A link into the store is no way around that")
    func link() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        var tool = Tool.on(disk)
        // A link at /link to /store, as the system would tell.
        tool.realPath = { path in
            if path.hasPrefix("/link") { return path == "/link" ? "/store" : nil }
            return disk.files.keys.contains { $0.hasPrefix(path) } ? path : nil
        }
        let result = tool("repair", "/store", "--out", "/link/new")
        #expect(result.code == 73 && result.diagnostics.contains("lies in it"))
        #expect(disk.sortedNames(in: "/store") == ["log-0000000001.jsonl"])
    }

    @Test("A store that someone has open is refused, by name, and its lock file keeps its text")
    func inUse() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        let lock = try disk.holdLock()
        let before = disk.files
        let result = Tool.on(disk)("repair", "/store", "--out", "/saved")
        #expect(result.code == 75 && result.diagnostics.contains("process 7 (other) since then"))
        #expect(disk.files == before)
        withExtendedLifetime(lock) {}
    }

    @Test("The lock file of the damaged store is neither changed nor made")
    func lockFile() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        disk.setContents("/store/lock", Array("process 7 (gone)\n".utf8))
        let before = disk.files
        #expect(Tool.on(disk)("repair", "/store", "--out", "/saved").code == 0)
        #expect(before.allSatisfy { disk.contents(of: $0.key) == $0.value })
        #expect(disk.heldLockCount == 0 && disk.openFileCount == 0)

        let without = SimulatedDisk.holding(damagedLog())
        #expect(Tool.on(without)("repair", "/store", "--out", "/saved").code == 0)
        #expect(without.sortedNames(in: "/store") == ["log-0000000001.jsonl"])
    }

    @Test("A disk that nobody can write is read without the lock; a lock that may not be taken is an error")
    func readOnly() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        disk.setContents("/store/lock", [])
        disk.fail(.every(.lock), code: 30)
        #expect(Tool.on(disk)("repair", "/store", "--out", "/saved").code == 0)
        disk.clearFaults()
        disk.fail(.every(.lock), code: 13)
        let refused = Tool.on(disk)("repair", "/store", "--out", "/other")
        #expect(refused.code == 74 && disk.sortedNames(in: "/other").isEmpty)
    }

    @Test("A reader of the output that goes away is success, and the store is written")
    func brokenPipe() throws {
        let disk = SimulatedDisk.holding(damagedLog())
        let maintainer = Maintainer(
            fileSystem: disk,
            output: Output { _ in .success(false) },
            diagnostics: Output { _ in .success(true) },
            surroundings: Tool.on(disk).surroundings
        )
        let command = try CommandParser.parse(["repair", "/store", "--out", "/saved"])
        #expect(maintainer.run(command) == .sound)
        #expect(Tool.on(disk)("verify", "/saved").code == 0)
        #expect(maintainer.run(.verify(store: "/store", json: false)) == nil)
    }

    @Test("Where no store is, nothing can be saved")
    func noStore() throws {
        let disk = SimulatedDisk()
        disk.addDirectory("/empty")
        disk.setContents("/file", [])
        for path in ["/none", "/empty", "/file"] {
            let result = Tool.on(disk)("repair", path, "--out", "/saved")
            #expect(result.code == 66, "\(path)")
            #expect(result.diagnostics.hasPrefix("walstore: "))
        }
        #expect(disk.sortedNames(in: "/saved").isEmpty)
    }

    @Test("Every failing call gives an exit code, and the damaged store is as it was")
    func failingCalls() throws {
        let sound = SimulatedDisk.holding(damagedLog())
        let counted = sound.copy()
        #expect(Tool.on(counted)("repair", "/store", "--out", "/saved").code == 0)
        for call in 0..<counted.callCount {
            let disk = sound.copy()
            disk.fail(.call(call), code: 5)
            let result = Tool.on(disk)("repair", "/store", "--out", "/saved")
            #expect([0, 73, 74].contains(result.code), "call \(call): \(result.diagnostics)")
            #expect(sound.files.allSatisfy { disk.contents(of: $0.key) == $0.value }, "call \(call)")
            #expect(disk.openFileCount == 0)
            if result.code == 0 { #expect(Tool.on(disk)("verify", "/saved").code == 0) }
        }
    }

    @Test("A disk that returns other bytes than were written is caught by reading back")
    func lyingDisk() throws {
        let disk = LyingFileSystem(
            SimulatedDisk.holding(damagedLog()),
            path: "/saved/snapshot-0000000002.jsonl"
        )
        let result = Tool.on(disk)("repair", "/store", "--out", "/saved")
        #expect(result.code == 74)
        #expect(result.diagnostics.contains("Do not use it."))
    }

    @Test("On real files a saved store verifies, and the damaged one keeps every byte")
    func realFiles() throws {
        let place = try TemporaryDirectory()
        let system = POSIXFileSystem()
        let fixture = try #require(Fixture.all.first { $0.name.hasPrefix("21") })
        let disk = try fixture.disk()
        try disk.save("/store", to: "\(place.path)/store", of: system)
        let tool = Tool()
        #expect(tool("repair", "\(place.path)/store", "--out", "\(place.path)/saved").code == 0)
        #expect(tool("verify", "\(place.path)/saved").code == 0)
        let after = SimulatedDisk()
        try after.load("\(place.path)/store", of: system, to: "/store")
        #expect(after.files == disk.files)
        // The same directory by another path.
        let inside = tool("repair", "\(place.path)/./store", "--out", "\(place.path)/x/../store/in")
        #expect(inside.code == 64 || inside.code == 73)
    }
}
