import LogInspection
import Testing

/// The state at a moment, the values, what is not there.
struct StateTests {
    private let log = FileBuilder.log().put(1, "a").put(2, "b", more: true).delete(3, "a").mark(4, synced: 3)
        .put(5, "b")

    private func ids(_ files: [String: FileBuilder], at moment: String? = nil) throws -> [String] {
        let tool = Tool(fileSystem: MemoryFileSystem(store: files))
        let result = tool.run(["ls", "s", "--json", "--values"] + (moment.map { ["--at", $0] } ?? []))
        guard result.code != 4 else { return ["not found"] }
        return try objects(result.output).map { line in
            let value = line["value"] as? [String: Int]
            return "\(line["id"] ?? "")\(value?["n"] ?? 0)"
        }
    }

    @Test func lsShowsTheStateBehindEveryRecord() throws {
        let expected = [[], ["a1"], ["a1"], ["b2"], ["b2"], ["b5"], ["b5"]]
        for number in 0...6 {
            #expect(try ids(["log1": log], at: "\(number)") == expected[number], "behind record \(number)")
        }
        for number in 1...5 {
            #expect(try ids(["log1": log], at: "2026-11-30T00:53:20.00\(number)Z") == expected[number])
        }
        #expect(try ids(["log1": log], at: "2026-11-30") == [])
    }

    @Test func aMomentIsReadFromTheNewestSnapshotBeforeIt() throws {
        let files = [
            "log1": log,
            "snapshot2": FileBuilder.snapshot(2, first: 6).put(5, "b").footer(1),
            "log2": FileBuilder.log(2, first: 6).put(6, "c"),
        ]
        #expect(try ids(files) == ["b5", "c6"])
        #expect(try ids(files, at: "5") == ["b5"])
        #expect(try ids(files, at: "1") == ["a1"])
        var without = files
        without["log1"] = nil
        #expect(try ids(without, at: "5") == ["b5"])
        #expect(try ids(without, at: "4") == ["not found"])
        let result = Tool(fileSystem: MemoryFileSystem(store: without))("get", "s", "a", "--at", "4")
        #expect(result.code == 4)
        #expect(
            result.diagnostics
                == "walstore: The store's files reach back to the state behind record 5, no further.\n"
        )
    }

    @Test func aDamagedSnapshotIsPassedOverWhenTheGenerationBeforeIsSound() throws {
        let damaged = [
            "log1": log,
            "snapshot2": FileBuilder.snapshot(2, first: 6).raw("broken\n").footer(1),
            "log2": FileBuilder.log(2, first: 6).put(6, "c"),
        ]
        #expect(try ids(damaged) == ["b5", "c6"])
        // Not when the rebuilt state would not end where the log begins.
        var short = damaged
        short["log1"] = FileBuilder.log().put(1, "a")
        #expect(try ids(short) == ["c6"])
    }

    @Test func getPrintsTheValueOrSaysThatThereIsNone() {
        let tool = Tool(
            fileSystem: MemoryFileSystem(store: ["log1": FileBuilder.log().put(1, "42").put(2, "x")])
        )
        #expect(tool("get", "s", "x").output == "{\"n\":2}\n")
        #expect(
            tool("get", "s", "x", "--json").output
                == "{\"id\":\"x\",\"seq\":2,\"at\":1796000000002,\"value\":{\"n\":2}}\n"
        )
        let missing = tool("get", "s", "42")
        #expect(missing.code == 4)
        #expect(missing.output.isEmpty)
        #expect(
            missing.diagnostics
                == "walstore: The store has no record 42. It has one whose id is the string \"42\"; write '\"42\"' for it.\n"
        )
        #expect(
            tool("get", "s", "y", "--at", "1").diagnostics
                == "walstore: The store has no record \"y\" at that moment.\n"
        )
    }

    @Test func whatIsNoStoreIsSaidSo() {
        let cases: [(MemoryFileSystem, String)] = [
            (MemoryFileSystem([:]), "There is no directory s."),
            (MemoryFileSystem(["s": []]), "s is no directory, and a store is one."),
            (
                MemoryFileSystem([:], directories: ["s": ["log-0000000001.jsonl.tmp", "lock"]]),
                "s holds neither a log nor a snapshot."
            ),
            (
                MemoryFileSystem([:], directories: ["s": ["quarantine"], "s/quarantine": []]),
                "s holds neither a log nor a snapshot."
            ),
            (MemoryFileSystem([:], directories: ["s": ["q.wal"]]), "s is no store, but there is s/q.wal."),
        ]
        for (files, message) in cases {
            let result = Tool(fileSystem: files)("verify", "s")
            #expect(result.code == 66)
            #expect(result.diagnostics == "walstore: \(message)\n")
        }
        // Evidence that there was a store makes its absence damage.
        let evidence = MemoryFileSystem(
            [:],
            directories: ["s": ["quarantine"], "s/quarantine": ["log-0000000001.jsonl.0.1.bytes"]]
        )
        #expect(Tool(fileSystem: evidence)("verify", "s").code == 2)
    }

    @Test func anImportThatWasCutShortIsNamed() throws {
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": .log(first: 8)]))
        let result = tool("verify", "s")
        #expect(result.code == 2)
        #expect(result.output.contains("If an import was cut short here"))
    }
}
