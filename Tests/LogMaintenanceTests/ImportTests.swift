import Foundation
import LogFormat
import LogInspection
import LogStorage
import TestSupport
import Testing

/// Plain data into a store.
struct ImportTests {
    private func disk(_ text: String) -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.addDirectory("/data")
        disk.setContents("/data/file", Array(text.utf8))
        return disk
    }

    private func state(_ disk: SimulatedDisk) throws -> [String: String] {
        var state: [String: String] = [:]
        for object in try Tool.on(disk)("ls", "/data/store", "--values", "--json").objects() {
            state["\(object["id"] ?? "")"] = canonicalJSON(object["value"] ?? "")
        }
        return state
    }

    @Test(arguments: [
        #"[{"id":"a","n":1},{"id":"b","n":[1,"x y"]}]"#,
        "\u{FEFF} [ {\n  \"id\" : \"a\",\r\n\t\"n\" : 1 } , { \"id\":\"b\", \"n\" : [ 1 , \"x y\" ] }\n]\n\n",
        "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":[1,\"x y\"]}\n",
        "{\"id\":\"a\",\"n\":1}{\"id\":\"b\",\"n\":[1,\"x y\"]}",
    ])
    func anArrayAndJSONLinesMakeAStore(_ text: String) throws {
        let disk = disk(text)
        let result = Tool.on(disk)("import", "/data/store", "/data/file", "--json")
        #expect(result.code == 0, "\(result.diagnostics)")
        let summary = try result.summary()
        #expect(summary["created"] as? Bool == true)
        #expect(summary["imported"] as? Int == 2)
        #expect(summary["lastSeq"] as? Int == 2)
        #expect(Tool.on(disk)("verify", "/data/store").code == 0)
        #expect(try state(disk) == ["a": #"{"id":"a","n":1}"#, "b": #"{"id":"b","n":[1,"x y"]}"#])
    }

    @Test func itemsAreAddedToAStoreThatIsThere() throws {
        let disk = disk(#"[{"id":"a","n":1},{"id":"b","n":2}]"#)
        #expect(Tool.on(disk)("import", "/data/store", "/data/file").code == 0)
        disk.setContents("/data/file", Array(#"{"id":"b","n":3} {"id":7,"n":4}"#.utf8))
        let result = Tool.on(disk)("import", "/data/store", "/data/file")
        #expect(result.output == "/data/store: 2 items imported, last record 5\n")
        #expect(try state(disk).count == 3)
        #expect(try state(disk)["b"] == #"{"id":"b","n":3}"#)
        #expect(Tool.on(disk)("get", "/data/store", "7").code == 0)
    }

    @Test func anotherMemberCanBeTheID() throws {
        let disk = disk(#"{"id":1,"e\u002dmail":"x@y"}"#)
        #expect(Tool.on(disk)("import", "/data/store", "/data/file", "--id-key", "e-mail").code == 0)
        #expect(try state(disk).keys.sorted() == ["x@y"])
    }

    @Test func moreThanABatchIsImported() throws {
        let lines = (0..<2050).map { "{\"id\":\($0),\"text\":\"\(String(repeating: "t", count: 20))\"}\n" }
        let disk = disk(lines.joined())
        #expect(
            try Tool.on(disk)("import", "/data/store", "/data/file", "--json").summary()["imported"] as? Int
                == 2050
        )
        #expect(try state(disk).count == 2050)
    }

    @Test func whatIsNoDataIsRefusedWithItsPlace() throws {
        let cases: [(text: String, problem: String)] = [
            ("[{\"id\":1}", "the file ends inside the array"),
            ("[{\"id\":1} {\"id\":2}]", "a comma is missing behind item 1"),
            ("[{\"id\":1}] x", "something follows the array"),
            ("{\"id\":1,}", "item 1, which begins at byte 0, is no JSON value"),
            ("{\"id\":1", "item 1, which begins at byte 0, is no JSON value"),
            ("{\"id\":\"a\u{1}\"}", "item 1, which begins at byte 0, is no JSON value"),
            ("{\"n\":1}", "item 1 has no member \"id\" that is a string or a whole number"),
            ("{\"id\":1.5}", "item 1 has no member \"id\" that is a string or a whole number"),
            ("{\"id\":1}\n7", "item 2 has no member \"id\" that is a string or a whole number"),
        ]
        for (text, problem) in cases {
            let result = Tool.on(disk(text))("import", "/data/store", "/data/file")
            #expect(result.code == 65, "\(text)")
            #expect(result.diagnostics.contains(problem), "\(text): \(result.diagnostics)")
        }
        #expect(Tool.on(disk(""))("import", "/data/store", "/data/none").code == 66)
    }

    @Test func anEmptyFileMakesAnEmptyStore() throws {
        for text in ["", "\n", "[]", " [ ] "] {
            let disk = disk(text)
            #expect(
                try Tool.on(disk)("import", "/data/store", "/data/file", "--json").summary()["imported"]
                    as? Int == 0
            )
            #expect(Tool.on(disk)("verify", "/data/store").code == 0)
        }
    }

    @Test func batchesBeforeAnErrorStay() throws {
        let disk = disk((0..<1010).map { "{\"id\":\($0)}\n" }.joined() + "{")
        let result = Tool.on(disk)("import", "/data/store", "/data/file")
        #expect(result.code == 65)
        #expect(result.diagnostics.hasSuffix("1000 items before that were imported and stay.\n"))
        #expect(try state(disk).count == 1000)
        #expect(Tool.on(disk)("verify", "/data/store").code == 0)
    }

    @Test func anIDKeepsTheSpellingThatIsLive() throws {
        let disk = disk("{\"id\":\"e\u{301}\",\"n\":1}\n{\"id\":\"K\",\"n\":1}")
        #expect(Tool.on(disk)("import", "/data/store", "/data/file").code == 0)
        disk.setContents("/data/file", Array("{\"id\":\"é\",\"n\":2}\n{\"id\":\"\u{212A}\",\"n\":2}".utf8))
        #expect(Tool.on(disk)("import", "/data/store", "/data/file").code == 0)
        #expect(try state(disk).count == 2)
        #expect(Tool.on(disk)("get", "/data/store", "e\u{301}").output.contains("\"n\":2"))
    }

    @Test func whatIsNoStoreIsLeftAlone() throws {
        let disk = disk("[]")
        disk.addDirectory("/data/store")
        disk.setContents("/data/store/letter", [1])
        #expect(Tool.on(disk)("import", "/data/store", "/data/file").code == 73)
        #expect(Tool.on(disk)("import", "/data/file", "/data/file").code == 73)
    }

    @Test func aStoreThatIsOpenIsRefused() throws {
        let disk = disk("{\"id\":1}")
        #expect(Tool.on(disk)("import", "/data/store", "/data/file").code == 0)
        let lock = try disk.lock("/data/store/lock", mode: .privateFile, note: "someone")
        let result = Tool.on(disk)("import", "/data/store", "/data/file")
        #expect(result.code == 75)
        withExtendedLifetime(lock) {}
    }

    @Test func anInterruptedImportKeepsWholeBatches() throws {
        let disk = disk((0..<1500).map { "{\"id\":\($0)}\n" }.joined())
        var tool = Tool.on(disk)
        tool.watch = ReadingWatch(show: nil, isInterrupted: { true })
        let result = tool("import", "/data/store", "/data/file")
        #expect(result.code == 130)
        #expect(
            result.diagnostics == "walstore: Interrupted. 1000 items before that were imported and stay.\n"
        )
        #expect(try state(disk).count == 1000)
    }
}
