import LogFormat
import LogInspection
import Testing

/// Groups of records and their bytes.
struct StatisticsTests {
    private let files = MemoryFileSystem(store: [
        "log1": FileBuilder.log().put(1, "a").put(2, "b").put(3, "a", value: "\"longer than the others\""),
        "snapshot2": FileBuilder.snapshot(2, first: 4).put(2, "b").put(
            3,
            "a",
            value: "\"longer than the others\""
        )
        .footer(2),
        "log2": FileBuilder.log(2, first: 4).delete(4, "b").mark(5, synced: 4),
    ])

    private func groups(_ arguments: String...) throws -> [[String: Any]] {
        let result = Tool(fileSystem: files).run(["stats", "s", "--json"] + arguments)
        #expect(result.code == 0)
        return try objects(result.output)
    }

    @Test func aRecordCountsOnceAndItsLinesAll() throws {
        let byID = try groups()
        #expect(byID.map { $0["id"] as? String } == ["a", "b", nil])
        #expect(byID.map { $0["records"] as? Int } == [2, 2, 5])
        let byOperation = try groups("--by", "op")
        #expect(byOperation.map { $0["op"] as? String } == ["put", "delete", "mark", nil])
        #expect(byOperation.map { $0["records"] as? Int } == [3, 1, 1, 5])
        let total = try #require(byOperation.last)
        #expect(total["type"] as? String == "summary")
        #expect(
            total["bytes"] as? Int == byOperation.dropLast().compactMap { $0["bytes"] as? Int }.reduce(0, +)
        )
        // Twice the lines of the two records that the snapshot repeats.
        let lines = FileBuilder().put(1, "a").put(2, "b").put(2, "b").put(
            3,
            "a",
            value: "\"longer than the others\""
        )
        .put(3, "a", value: "\"longer than the others\"").delete(4, "b").mark(5, synced: 4)
        #expect(total["bytes"] as? Int == lines.bytes.count)
    }

    @Test func hoursAndSizesAreGroups() throws {
        let hours = try groups("--by", "hour")
        #expect(hours.first?["hour"] as? Int == 1_795_996_800_000)
        #expect(hours.first?["records"] as? Int == 5)
        let sizes = try groups("--by", "size")
        #expect(sizes.dropLast().compactMap { $0["upTo"] as? Int } == [128])
    }

    @Test func topTellsHowManyIDs() throws {
        #expect(try groups("--top", "1").map { $0["type"] as? String } == ["group", "summary"])
        let text = Tool(fileSystem: files)("stats", "s", "--top", "1")
        #expect(text.lines.last == "1 more id not shown; --top N shows more")
        #expect(Tool(fileSystem: files)("stats", "s", "--top", "1", "--by", "op").code == 64)
    }

    @Test func aTornTailDoesNotCount() throws {
        let log = FileBuilder.log().put(1).put(2, more: true)
        let result = Tool(fileSystem: MemoryFileSystem(store: ["log1": log]))("stats", "s", "--json")
        #expect(result.code == 1)
        #expect(try objects(result.output).last?["records"] as? Int == 1)
    }

    @Test func aTimeBeforeTheEpochHasItsHour() throws {
        let log = FileBuilder.log().line(#""seq":1,"at":-1,"op":"delete","id":1}"#)
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": log]))
        let groups = try objects(tool("stats", "s", "--by", "hour", "--json").output)
        #expect(groups.first?["hour"] as? Int == -3_600_000)
        #expect(tool("stats", "s", "--by", "hour").lines[1].hasSuffix("1969-12-31T23:00Z"))
    }
}
