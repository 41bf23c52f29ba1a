import CrashCampaigns
import Foundation
import LogInspection
import LogStorage
import TestSupport
import Testing

/// Beside a writer at full speed nothing is taken for damage, and nothing is missed.
///
/// A few seconds; a minute with `WALSTORE_FULL=1`.
@Suite(.serialized)
struct BesideWriterTests {
    private static let duration = Duration.seconds(Effort.count(1, release: 2, full: 60))

    private let directory: TemporaryDirectory
    /// Where the writer makes it.
    private let store: String

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path + "/data.wal"
    }

    private func startWriter(_ life: Int) async throws -> ChildProcess {
        let output = directory.path + "/writer-\(life)"
        let child = try ChildProcess(
            try BuiltProgram.path("crashlab"),
            [
                "writer", directory.path, "\(life)", "--durability", "written", "--tasks", "4",
                "--compact-at",
                "1000000",
            ],
            output: output
        )
        #expect(try await ChildProcess.hasSaid("open", in: output))
        return child
    }

    private func startTail() throws -> ChildProcess {
        try ChildProcess(
            try BuiltProgram.path("walstore"),
            ["tail", "-f", store, "-n", "0", "--json"],
            output: directory.path + "/tail",
            errors: directory.path + "/tail-errors"
        )
    }

    @Test func verifyInfoAndTailFindNoDamage() async throws {
        let writer = try await startWriter(1)
        let tail = try startTail()
        var tool = Tool()
        tool.pause = { BlockingPause.wait(.milliseconds(20)) }
        var looks = 0
        let end = ContinuousClock.now + Self.duration
        while ContinuousClock.now < end {
            for command in ["verify", "info", "stats", "ls"] {
                let result = tool(command, store, "--json")
                #expect(result.code == 0, "\(command): \(result.diagnostics)")
                #expect(result.diagnostics.isEmpty)
                looks += 1
            }
        }
        tail.interrupt()
        #expect(await tail.wait() == 130)
        writer.kill()
        _ = await writer.wait()
        let notices = try fileText(directory.path + "/tail-errors")
        #expect(!notices.contains("cut") && !notices.contains("torn") && !notices.contains("corruption"))
        let numbers = try shownNumbers().map(\.number)
        #expect(numbers.count > 10)
        #expect(unexplained(numbers, notices) == [])
        print("Beside a writer: \(looks) looks, \(numbers.count) records followed")
    }

    @Test func tailFollowsOverCompactionsAndKilledWriters() async throws {
        var writer = try await startWriter(1)
        let tail = try startTail()
        try await waitForOutput()
        let end = ContinuousClock.now + Self.duration
        var life = 1
        while ContinuousClock.now < end || life < 3 {
            try await Task.sleep(for: .milliseconds(400))
            writer.kill()
            _ = await writer.wait()
            life += 1
            writer = try await startWriter(life)
        }
        writer.kill()
        _ = await writer.wait()
        let last = try await waitForLastRecord()
        tail.interrupt()
        #expect(await tail.wait() == 130)
        let notices = try fileText(directory.path + "/tail-errors")
        #expect(!notices.contains("torn") && !notices.contains("corruption"))
        let shown = try shownNumbers()
        #expect(unexplained(shown.map(\.number), notices) == [])
        // What the store holds at the end is what was shown last under its number.
        let newest = Dictionary(shown.map { ($0.number, $0.text) }) { $1 }
        var compared = 0
        for text in Tool()("dump", store, "--json").lines {
            let record = Shown(text)
            guard let shown = newest[record.number] else { continue }
            #expect(shown == record.text, "record \(record.number)")
            compared += 1
        }
        #expect(compared > 10)
        #expect(shown.last?.number == last)
        let cuts = notices.components(separatedBy: "were cut when").count - 1
        print("Over \(life) lives of the writer: \(shown.count) records followed, \(cuts) cuts seen")
    }

    // MARK: What was shown

    /// A record as it was printed, without its place in the files.
    private struct Shown {
        var number: Int
        var text: Substring

        init(_ line: String) {
            text = line.range(of: "\"seq\":").map { line[$0.lowerBound...] } ?? ""
            // Only a log's line says so.
            number = Int(text.dropFirst(6).prefix { $0.isNumber }) ?? 0
        }
    }

    /// Steps from one number to another than the next of which nothing was said: that a restart has cut
    /// records, or that a slow reader has missed some.
    private func unexplained(_ numbers: [Int], _ notices: String) -> [String] {
        zip(numbers, numbers.dropFirst()).filter { $0 + 1 != $1 }.compactMap { last, next in
            let said =
                next > last
                ? "Records \(last + 1) to \(next - 1) were compacted away"
                : "Records \(next) to \(last) were cut"
            return notices.contains(said) ? nil : "\(last) to \(next)"
        }
    }

    private func shownNumbers() throws -> [Shown] {
        try fileText(directory.path + "/tail").split(separator: "\n").map { Shown(String($0)) }
    }

    private func waitForOutput() async throws {
        let end = ContinuousClock.now + .seconds(300)
        while try fileText(directory.path + "/tail").isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until the last record that counts has been shown, and returns its number.
    private func waitForLastRecord() async throws -> Int {
        let last = try Tool()("verify", store, "--json").summary()["lastSeq"] as? Int ?? 0
        let end = ContinuousClock.now + .seconds(300)
        while try shownNumbers().last?.number != last, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        return last
    }
}
