import Foundation
import LogFormat
import LogInspection
import Synchronization
import TestSupport
import Testing

/// The newest records, and new ones across all that a writer does to its files.
struct TailTests {
    private let log1 = MemoryFileSystem.path("log1")
    private let log2 = MemoryFileSystem.path("log2")
    private let log3 = MemoryFileSystem.path("log3")

    /// Runs `tail -f` and does one step of `steps` at each pause; behind the last one it is interrupted.
    private func follow(_ files: MemoryFileSystem, _ steps: [() -> Void]) throws -> (
        numbers: [Int], Tool.Result
    ) {
        let isOver = Mutex(false)
        var rest = steps[...]
        var tool = Tool(fileSystem: files) {
            if let step = rest.popFirst() { step() } else { isOver.withLock { $0 = true } }
        }
        tool.watch = ReadingWatch(show: nil, isInterrupted: { isOver.withLock { $0 } })
        let result = tool("tail", "s", "-f", "-n", "2", "--json")
        return (try objects(result.output).compactMap { $0["seq"] as? Int }, result)
    }

    private func numbers(_ files: MemoryFileSystem, _ arguments: String...) throws -> [Int] {
        let result = Tool(fileSystem: files).run(["tail", "s", "--json"] + arguments)
        return try objects(result.output).compactMap { $0["seq"] as? Int }
    }

    @Test func theLastRecordsAreShownOnceEach() throws {
        let files = MemoryFileSystem(store: [
            "log1": FileBuilder.log().put(1).put(2, "b").put(3),
            "snapshot2": FileBuilder.snapshot(2, first: 4).put(2, "b").put(3).footer(2),
            "log2": FileBuilder.log(2, first: 4).put(4).raw("torn"),
        ])
        #expect(try numbers(files) == [1, 2, 3, 4])
        #expect(try numbers(files, "-n", "2") == [3, 4])
        #expect(try numbers(files, "-n", "0") == [])
        let result = Tool(fileSystem: files)("tail", "s", "-n", "1")
        #expect(result.code == 1)
        #expect(result.lines.count == 2)
        #expect(result.lines[1].contains("  4  2026-11-30T00:53:20.004Z  put"))
    }

    @Test func newRecordsAreShownAsTheyCome() throws {
        let log = FileBuilder.log().put(1).put(2).put(3)
        let files = MemoryFileSystem(store: ["log1": log])
        let (shown, result) = try follow(
            files,
            [
                { files.set(self.log1, log.put(4).bytes) },
                {},
                { files.set(self.log1, log.put(4).put(5).put(6).bytes) },
            ]
        )
        #expect(shown == [2, 3, 4, 5, 6])
        #expect(result.code == 130)
        #expect(result.diagnostics == "walstore: Interrupted.\n")
    }

    @Test func anAppendInFlightAndAnOpenBatchAreShownOnceTheyAreWhole() throws {
        let log = FileBuilder.log().put(1)
        let files = MemoryFileSystem(store: ["log1": log])
        let whole = log.put(2).put(3, more: true).put(4)
        let (shown, result) = try follow(
            files,
            [
                { files.set(self.log1, Array(whole.bytes.prefix(log.bytes.count + 30))) },
                { files.set(self.log1, log.put(2).put(3, more: true).bytes) },
                { files.set(self.log1, whole.raw([0x0A, 0x0A]).bytes) },
                { files.set(self.log1, whole.raw([0x0A, 0x0A]).put(5).bytes) },
            ]
        )
        #expect(shown == [1, 2, 3, 4, 5])
        #expect(result.diagnostics == "walstore: Interrupted.\n")
    }

    @Test func rotationAndCompactionLoseAndRepeatNothing() throws {
        let log = FileBuilder.log().put(1)
        let files = MemoryFileSystem(store: ["log1": log])
        let second = FileBuilder.log(2, first: 4)
        let (shown, result) = try follow(
            files,
            [
                {
                    files.set(self.log1, log.put(2).put(3).bytes)
                    files.set(self.log2, second.put(4).bytes)
                },
                {
                    files.set(
                        MemoryFileSystem.path("snapshot2"),
                        FileBuilder.snapshot(2, first: 4).put(3).footer(1).bytes
                    )
                    files.set(self.log1, nil)
                },
                { files.set(self.log2, second.put(4).put(5).bytes) },
                { files.set(self.log3, FileBuilder.log(3, first: 6).bytes) },
                { files.set(self.log3, FileBuilder.log(3, first: 6).put(6).bytes) },
            ]
        )
        #expect(shown == [1, 2, 3, 4, 5, 6])
        #expect(result.diagnostics == "walstore: Interrupted.\n")
    }

    @Test func aLogThatIsRemovedIsReadToItsEnd() throws {
        let directory = try TemporaryDirectory()
        func url(_ generation: Int) -> URL {
            URL(filePath: "\(directory.path)/log-000000000\(generation).jsonl")
        }
        let log = FileBuilder.log().put(1)
        try Data(log.bytes).write(to: url(1))
        let pauses = Mutex(0)
        var tool = Tool {
            guard
                pauses.withLock({ count in
                    count += 1
                    return count == 2
                })
            else { return }
            do {
                // The same file grows, is closed by a successor, and goes.
                let file = try FileHandle(forWritingTo: url(1))
                try file.seekToEnd()
                try file.write(contentsOf: log.put(2).put(3).bytes.dropFirst(log.bytes.count))
                try file.close()
                try Data(FileBuilder.log(2, first: 4).put(4).bytes).write(to: url(2))
                try FileManager.default.removeItem(at: url(1))
            } catch {
                Issue.record(error)
            }
        }
        tool.watch = ReadingWatch(show: nil, isInterrupted: { pauses.withLock { $0 > 4 } })
        let result = tool("tail", directory.path, "-f", "-n", "1", "--json")
        #expect(try objects(result.output).compactMap { $0["seq"] as? Int } == [1, 2, 3, 4])
        #expect(result.diagnostics == "walstore: Interrupted.\n")
    }

    @Test func recordsThatWereCompactedAwayUnseenAreReported() throws {
        let files = MemoryFileSystem(store: ["log1": FileBuilder.log().put(1)])
        let (shown, result) = try follow(
            files,
            [
                {},
                {
                    files.set(
                        MemoryFileSystem.path("snapshot3"),
                        FileBuilder.snapshot(3, first: 6).put(5).footer(1).bytes
                    )
                    files.set(self.log3, FileBuilder.log(3, first: 6).put(6).bytes)
                    files.set(self.log1, nil)
                },
                {},
                {},
            ]
        )
        #expect(shown == [1, 6])
        #expect(
            result.diagnostics.hasPrefix(
                "walstore: Records 2 to 5 were compacted away before they could be read.\n"
            )
        )
    }

    @Test func recordsThatARestartCutAreReportedAndTheirSuccessorsShown() throws {
        let kept = FileBuilder.log().put(1)
        let files = MemoryFileSystem(store: ["log1": kept.put(2).put(3)])
        let (shown, result) = try follow(
            files,
            [
                { files.set(self.log1, kept.put(2).put(3).put(4).bytes) },
                // Opening cut 3 and 4, and the next save took their number; the file has grown past them.
                {
                    files.set(
                        self.log1,
                        kept.put(2).put(3, "new", value: "\"\(String(repeating: "n", count: 300))\"").bytes
                    )
                },
                {},
                {},
            ]
        )
        #expect(shown == [2, 3, 4, 3])
        #expect(
            result.diagnostics.hasPrefix(
                "walstore: Records 3 to 4 were cut when the store was opened; their numbers are given away anew.\n"
            )
        )
    }

    @Test func aRestartThatCutsNothingShownIsSilent() throws {
        let log = FileBuilder.log().put(1).put(2)
        let files = MemoryFileSystem(store: ["log1": log.raw("{\"crc\":\"12")])
        let (shown, result) = try follow(
            files,
            [
                { files.set(self.log1, log.bytes) },
                { files.set(self.log1, log.put(3, synced: 2).bytes) },
            ]
        )
        #expect(shown == [1, 2, 3])
        #expect(!result.diagnostics.contains("cut when"))
    }

    @Test func bytesThatStayNoRecordAreToldOnce() throws {
        let log = FileBuilder.log().put(1)
        let files = MemoryFileSystem(store: ["log1": log])
        let (_, result) = try follow(
            files,
            [{ files.set(self.log1, log.raw("torn").bytes) }] + Array(repeating: {}, count: 250)
        )
        let lines = result.diagnostics.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines[0]
                == """
                walstore: log-0000000001.jsonl goes on at byte \(log.bytes.count) with bytes that are no whole \
                record; waiting for what becomes of them.
                """
        )
    }
}
