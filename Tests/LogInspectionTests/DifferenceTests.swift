import LogFormat
import LogInspection
import Testing

/// Two states, of two stores or of one at two moments.
struct DifferenceTests {
    private let before = FileBuilder.log().put(1, "a", value: #"{"n":1}"#).put(2, "b").put(3, "c", value: "3")
    private var after: FileBuilder {
        before.put(4, "a", value: #"{"n":2}"#).delete(5, "b").put(6, "d").put(7, "c", value: "3")
    }

    private func tool(_ left: FileBuilder, _ right: FileBuilder? = nil) -> Tool {
        var files = ["s/log-0000000001.jsonl": left.bytes]
        files["t/log-0000000001.jsonl"] = right?.bytes
        return Tool(fileSystem: MemoryFileSystem(files, directories: ["s": [], "t": []]))
    }

    @Test func oneStoreAtTwoMoments() throws {
        let tool = tool(after)
        #expect(
            tool("diff", "s", "--from", "3").output == """
                ~ "a"
                    ~ /n: 1 -> 2
                - "b"
                    - {"n":2}
                + "d"
                    + {"n":6}
                1 added, 1 removed, 1 changed, 1 the same

                """
        )
        let objects = try objects(tool("diff", "s", "--from", "3", "--json").output)
        #expect(objects.map { $0["type"] as? String } == ["changed", "removed", "added", "summary"])
        #expect(objects.map { $0["id"] as? String } == ["a", "b", "d", nil])
        #expect(objects.map { $0["fromSeq"] as? Int } == [1, 2, nil, nil])
        #expect(objects.map { $0["toSeq"] as? Int } == [4, nil, 6, nil])
        #expect(objects.last?["same"] as? Int == 1)
        let back = tool("diff", "s", "--from", "7", "--to", "3")
        #expect(back.lines.last == "1 added, 1 removed, 1 changed, 1 the same")
        #expect(tool("diff", "s", "--from", "7").output == "0 added, 0 removed, 0 changed, 3 the same\n")
    }

    @Test func twoStoresAreComparedByTheirValues() throws {
        let other = FileBuilder.log(store: "00000000-0000-4000-8000-000000000001")
            .put(1, "c", value: "3").put(2, "a", value: #"{"n":1}"#).put(3, "b", value: "{\"n\":3}")
        let result = tool(before, other)("diff", "s", "t")
        #expect(result.code == 0)
        #expect(
            result.output == """
                ~ "b"
                    ~ /n: 2 -> 3
                0 added, 0 removed, 1 changed, 2 the same

                """
        )
        #expect(
            tool(before, other)("diff", "s", "t", "--to", "1").lines.last
                == "0 added, 2 removed, 0 changed, 1 the same"
        )
    }

    @Test func theWorseVerdictIsTheExitCode() {
        #expect(tool(before, before.raw("torn"))("diff", "s", "t").code == 1)
        #expect(tool(before.raw("torn"), before)("diff", "s", "t").code == 1)
        #expect(tool(before)("diff", "s", "u").code == 66)
        let tool = Tool(
            fileSystem: MemoryFileSystem(store: [
                "snapshot2": FileBuilder.snapshot(2, first: 4).put(3).footer(1),
                "log2": FileBuilder.log(2, first: 4),
            ])
        )
        #expect(tool("diff", "s", "--from", "2").code == 4)
    }
}
