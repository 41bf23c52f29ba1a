import LogFormat
import LogInspection
import Testing

/// What a person reads who has never seen the format.
struct RemedyTests {
    private func verify(_ log: FileBuilder, at store: String = "s") -> [String] {
        let files = MemoryFileSystem(["\(store)/log-0000000001.jsonl": log.bytes], directories: [store: []])
        return Tool(fileSystem: files)("verify", store).lines
    }

    private let damaged = FileBuilder.log().put(1).raw("damage\n").put(3, synced: 2)

    @Test func theCommandCanBeTakenOverAsItStands() {
        #expect(verify(damaged)[2].hasSuffix(": walstore repair s --out s.saved"))
        #expect(
            verify(damaged, at: "my 'old' store")[2]
                .hasSuffix(#": walstore repair 'my '\''old'\'' store' --out 'my '\''old'\'' store.saved'"#)
        )
    }

    /// The batch began earlier, and the report pointed at its first line, which is sound.
    @Test func aRecordMissingInABatchIsReportedWhereItShouldStand() throws {
        let log = FileBuilder.log().put(1, more: true).put(2, more: true).put(4).put(5, synced: 4)
        let line = try #require(verify(log).first)
        #expect(
            line == "log-0000000001.jsonl: line 4, offset \(log.offset(ofLine: 4)), 0 bytes: corruption (gap)"
        )
    }

    /// A snapshot's numbers have gaps, so the report cannot know which of them are lost.
    @Test func ofASnapshotNoLostNumbersAreNamed() {
        let files = MemoryFileSystem(store: [
            "snapshot2": FileBuilder.snapshot(2, first: 9).put(1).raw("damage\n").put(8).footer(3),
            "log2": FileBuilder.log(2, first: 9),
        ])
        #expect(!Tool(fileSystem: files)("verify", "s").output.contains("lost"))
    }
}
