import Foundation
import WALStore

/// `walstore demo [DIR]`: a child process writes and is killed at random, several times; each time the
/// store is opened again and everything that was acknowledged is there.
func runDemo(directory: String?) async -> Int32 {
    let place = directory ?? NSTemporaryDirectory() + "walstore-demo-\(UUID().uuidString.prefix(8))"
    let demo = Demo(directory: URL(filePath: place, directoryHint: .isDirectory))
    do {
        if ProcessInfo.processInfo.environment[Demo.writerVariable] != nil {
            try await demo.write()
        } else {
            try await demo.run()
        }
        return 0
    } catch {
        FileHandle.standardError.write(Data("walstore: \(error)\n".utf8))
        return error is DemoFailure ? 2 : 74
    }
}

/// A promise of the store that did not hold.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String
}

struct DemoNote: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var revision: Int
    var text: String
}

struct Demo {
    /// Set in the environment of the child that writes.
    static let writerVariable = "WALSTORE_DEMO_WRITER"
    private static let rounds = 5
    private static let filename = "notes.json"

    let directory: URL

    // MARK: The history that is written

    /// The n-th mutation, from 1: the same in every process. Every fifth is a batch of three.
    private func notes(of number: Int) -> [DemoNote] {
        (0..<(number.isMultiple(of: 5) ? 3 : 1)).map { member in
            let id = "note-\((number * 7 + member * 11) % 40)"
            return DemoNote(id: id, revision: number, text: "written by mutation \(number)")
        }
    }

    /// The state after the first `count` mutations.
    private func state(after count: Int) -> [String: DemoNote] {
        var state: [String: DemoNote] = [:]
        for number in stride(from: 1, through: count, by: 1) {
            for note in notes(of: number) { state[note.id] = note }
        }
        return state
    }

    // MARK: The child

    /// Writes until it is killed, and says so after each mutation that was acknowledged.
    func write() async throws {
        let repository = try LocalRepository<DemoNote>(directory: directory, filename: Self.filename)
        var number = await repository.loadAll().map(\.revision).max() ?? 0
        while true {
            number += 1
            try await repository.save(contentsOf: notes(of: number))
            try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
        }
    }

    // MARK: The parent

    func run() async throws {
        print(
            "A store at \(directory.path), written by a child process that is killed \(Self.rounds) times.\n"
        )
        for round in 1...Self.rounds {
            let acknowledged = try await writeUntilKilled()
            try await check(round: round, acknowledged: acknowledged)
        }
        try await summarize()
    }

    /// Runs the child, kills it within half a second of its first mutation, and returns the last number
    /// that it was told is safe.
    private func writeUntilKilled() async throws -> Int {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = ["demo", directory.path]
        child.environment = ProcessInfo.processInfo.environment.merging(
            [Self.writerVariable: "1", "SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }
        let output = Pipe()
        child.standardOutput = output
        try child.run()

        let reader = Task.detached { try output.fileHandleForReading.readToEnd() ?? Data() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 150...600)))
        kill(child.processIdentifier, SIGKILL)
        let text = String(decoding: try await reader.value, as: UTF8.self)
        child.waitUntilExit()
        guard child.terminationReason == .uncaughtSignal else {
            throw DemoFailure(
                description: "The writing child ended by itself with status \(child.terminationStatus)."
            )
        }
        // A number counts when its line is whole: the child may have died while it said it.
        let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return whole.last.flatMap { Int($0) } ?? 0
    }

    /// Opens the store and compares it with the history.
    private func check(round: Int, acknowledged: Int) async throws {
        let repository = try LocalRepository<DemoNote>(directory: directory, filename: Self.filename)
        let items = await repository.loadAll()
        let found = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        let last = items.map(\.revision).max() ?? 0
        try await repository.close()

        print("Kill \(round): mutation \(acknowledged) was acknowledged last; the store opened with \(last).")
        let report = repository.recovery
        print(
            "  \(report.recordsReplayed) records replayed in \(report.duration.formatted(.units(allowed: [.milliseconds])))"
        )
        for bytes in report.quarantined {
            print("  a torn tail of \(bytes.length) bytes was cut, and kept at \(bytes.path)")
        }
        guard last >= acknowledged else {
            throw DemoFailure(description: "Mutation \(acknowledged) was acknowledged and is lost.")
        }
        guard found == state(after: last) else {
            throw DemoFailure(description: "The store does not hold the state after mutation \(last).")
        }
        print("  nothing acknowledged was lost, and the state is that after mutation \(last), to the byte")
    }

    private func summarize() async throws {
        let repository = try LocalRepository<DemoNote>(directory: directory, filename: Self.filename)
        let statistics = await repository.statistics
        try await repository.close()
        let store = directory.appending(path: "notes.wal", directoryHint: .isDirectory)
        print(
            """

            \(statistics.lastSequenceNumber) records for \(statistics.liveRecords) notes, \(statistics.logBytes) bytes of log. \
            The log is text, a record a line:
            """
        )
        let log = try String(contentsOf: store.appending(path: "log-0000000001.jsonl"), encoding: .utf8)
        for line in log.split(separator: "\n").suffix(3) { print("  \(line)") }
        print(
            """

            Look further with:
              walstore verify \(store.path)
              walstore dump \(store.path)
              walstore get \(store.path) note-7
            """
        )
    }
}
