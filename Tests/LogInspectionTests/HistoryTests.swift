import LogFormat
import LogInspection
import Testing

/// What changed inside a value, version by version.
struct HistoryTests {
    private func tool(_ log: FileBuilder) -> Tool {
        Tool(fileSystem: MemoryFileSystem(store: ["log1": log]))
    }

    @Test func membersThatWereAddedRemovedAndChangedAreShown() throws {
        let log = FileBuilder.log()
            .put(1, value: #"{"title":"one","tags":[1,2],"at":{"city":"Ulm","zip":1}}"#)
            .put(2, "other")
            .put(3, value: #"{"title":"two","at":{"city":"Ulm","zip":2},"n":null,"tags":[1,2]}"#)
            .put(4, value: #"{"title":"two","at":{"city":"Ulm","zip":2},"n":null,"tags":[1,2]}"#)
            .delete(5)
            .put(6, value: "7")
        #expect(
            tool(log)("history", "s", "a").output == """
                1  2026-11-30T00:53:20.001Z  put, 56 bytes
                    + {"title":"one","tags":[1,2],"at":{"city":"Ulm","zip":1}}
                3  2026-11-30T00:53:20.003Z  put, 65 bytes
                    ~ /title: "one" -> "two"
                    ~ /at/zip: 1 -> 2
                    + /n: null
                4  2026-11-30T00:53:20.004Z  put, 65 bytes
                    nothing changed
                5  2026-11-30T00:53:20.005Z  delete
                    - {"title":"two","at":{"city":"Ulm","zip":2},"n":null,"tags":[1,2]}
                6  2026-11-30T00:53:20.006Z  put, 1 byte
                    + 7

                """
        )
        let versions = try objects(tool(log)("history", "s", "a", "--json").output)
        #expect(versions.map { $0["seq"] as? Int } == [1, 3, 4, 5, 6])
        #expect(versions.map { $0["op"] as? String } == ["put", "put", "put", "delete", "put"])
        let changes = try #require(versions[1]["changes"] as? [[String: Any]])
        #expect(changes.map { $0["path"] as? String } == ["/title", "/at/zip", "/n"])
        #expect(changes[0]["was"] as? String == "one" && changes[0]["is"] as? String == "two")
        #expect(Set(changes[2].keys) == ["path", "is"])
        #expect((versions[2]["changes"] as? [Any])?.isEmpty == true)
        #expect(versions[3]["value"] == nil)
    }

    @Test func aNameWithSlashesAndEscapesIsAPointer() throws {
        let log = FileBuilder.log()
            .put(1, value: #"{ "a/b" : 1 , "c~\"" : [ ] , "d" : 1 , "d" : 2 }"#)
            .put(2, value: #"{"a/b":2,"c~\"":[1],"d":2}"#)
        let versions = try objects(tool(log)("history", "s", "a", "--json").output)
        let changes = try #require(versions[1]["changes"] as? [[String: Any]])
        #expect(changes.map { $0["path"] as? String } == ["/a~1b", "/c~0\""])
    }

    @Test func versionsReachBackOverASnapshotToTheLogBeforeIt() throws {
        let files = MemoryFileSystem(store: [
            "log1": FileBuilder.log().put(1, value: "1").put(2, value: "2"),
            "snapshot2": FileBuilder.snapshot(2, first: 3).put(2, value: "2").footer(1),
            "log2": FileBuilder.log(2, first: 3).put(3, value: "3"),
        ])
        let versions = try objects(Tool(fileSystem: files)("history", "s", "a", "--json").output)
        #expect(versions.map { $0["seq"] as? Int } == [1, 2, 3])
        files.set(MemoryFileSystem.path("log1"), nil)
        let later = try objects(Tool(fileSystem: files)("history", "s", "a", "--json").output)
        #expect(later.map { $0["seq"] as? Int } == [2, 3])
    }

    @Test func anIDThatNeverWasIsNotFound() {
        let result = tool(FileBuilder.log().put(1))("history", "s", "b")
        #expect(result.code == 4)
        #expect(result.diagnostics == "walstore: The store's files hold no version of \"b\".\n")
    }

    @Test func aBatchThatWasCutShortIsNoVersion() throws {
        let log = FileBuilder.log().put(1).put(2, more: true)
        let result = tool(log)("history", "s", "a", "--json")
        #expect(result.code == 1)
        #expect(try objects(result.output).count == 1)
    }
}
