import Foundation
import LogStorage
import TestSupport
import WALStore

/// L7: a writing process that is killed at random moments, again and again in one store.
///
/// After each death the store opens and holds what was acknowledged and at most one call of each task
/// more, and nothing lies about that a death of a compaction could have left.
package struct KillCampaign: Sendable {
    /// The bytes of log at which the writer compacts; nil for the library's own choice.
    private let compactAt: Int?
    private let crashlab: String
    private let seed: UInt64

    package private(set) var kills = 0
    package private(set) var killsBeforeOpen = 0
    package private(set) var acknowledged = 0
    package private(set) var tornTails = 0
    /// Kills that left a log behind which no snapshot had been written.
    package private(set) var interruptedCompactions = 0
    /// Compactions that came to their end, over all stores.
    package private(set) var generations: UInt64 = 0
    package private(set) var faults: [String] = []

    /// - Parameter crashlab: the path of the program `crashlab`.
    package init(_ crashlab: String, seed: UInt64, compactAt: Int? = nil) {
        self.crashlab = crashlab
        self.seed = seed
        self.compactAt = compactAt
    }

    package var description: String {
        """
        \(kills) kills\(compactAt == nil ? "" : " while compacting") (\(killsBeforeOpen) before the store was \
        open): \(acknowledged) calls acknowledged and all there, \(tornTails) torn tails, \(generations) \
        generations, \(interruptedCompactions) compactions cut short; \(faults.count) faults
        """
    }

    /// Kills a writer so often in each of so many stores, or until something is wrong.
    package mutating func run(stores: Int, killsOfEach count: Int) async throws {
        for store in 0..<UInt64(stores) where faults.isEmpty {
            try await run(store, kills: count)
        }
    }

    /// One store; odd ones are written without waiting for syncs.
    private mutating func run(_ store: UInt64, kills count: Int) async throws {
        let scratch = try TemporaryDirectory()
        let tasks = compactAt == nil ? [1, 4, 16, 1, 64] : [1, 8, 32]
        var random = SeededGenerator(seed: seed &+ store)
        var state: [String: String] = [:]
        for round in 0..<count where faults.isEmpty {
            // One in three dies while it starts or opens.
            let isEarly = random.oneIn(3)
            let delay = random.below(isEarly ? 60_000 : 30_000)
            var life = WriterRun(
                directory: "\(scratch.path)/store",
                seed: (seed &+ store) &* 1_000_000 &+ UInt64(round),
                end: .kill(afterMicroseconds: delay, whenOpen: !isEarly)
            )
            life.isSynced = store % 2 == 0
            life.tasks = tasks[Int(store) % tasks.count]
            life.compactAt = compactAt
            let outcome = try await life.run(crashlab, scratch: scratch.path)
            note(life, outcome, isEarly)
            do {
                try await judge(
                    life,
                    outcome.report,
                    &state,
                    closes: random.oneIn(2),
                    isLast: round == count - 1
                )
            } catch {
                faults.append("\(life): opening failed: \(error)")
            }
        }
    }

    private mutating func note(_ life: WriterRun, _ outcome: WriterRun.Outcome, _ isEarly: Bool) {
        let report = outcome.report
        kills += 1
        killsBeforeOpen += report.opened ? 0 : 1
        acknowledged += report.acknowledgedCount
        tornTails += report.bytesCut > 0 ? 1 : 0
        if outcome.code != -9 || report.error != nil || !report.failures.isEmpty {
            faults.append("\(life): ended with \(outcome.code): \(report.error ?? "") \(report.failures)")
        }
        if !report.opened, !isEarly { faults.append("\(life): it never opened its store") }
    }

    private mutating func judge(
        _ life: WriterRun,
        _ report: WriterReport,
        _ state: inout [String: String],
        closes: Bool,
        isLast: Bool
    ) async throws {
        // A store that was closed is opened in another way than one that was not.
        let found = try await LabStore.read(life.directory, closes: closes)
        if let problem = report.fault(in: found.texts, after: state) { faults.append("\(life): \(problem)") }
        state = found.texts
        tornTails += found.bytesCut > 0 ? 1 : 0
        if isLast { generations += found.generation }
        let names = try POSIXFileSystem().names(in: "\(life.directory)/data.wal") ?? []
        let snapshots = names.filter { $0.hasPrefix("snapshot") }
        if snapshots.count > 2 || names.contains(where: { $0.hasSuffix(".tmp") }) {
            faults.append("\(life): these files are left: \(names)")
        }
        let newest = snapshots.compactMap { Int($0.dropFirst(9).prefix(10)) }.max() ?? 1
        let logs = names.filter { $0.hasPrefix("log") }.compactMap { Int($0.dropFirst(4).prefix(10)) }
        interruptedCompactions += logs.contains { $0 > newest } ? 1 : 0
    }
}
