import CrashCampaigns
import Foundation
import LogStorage
import ProcessCampaigns
import TestSupport
import Testing
import WALStore

@Suite(.serialized) struct KillTests {
    private typealias Store = LocalRepository<LabItem>

    /// A writer that is killed again and again in one directory.
    private struct Campaign {
        var seed: UInt64
        var durability: String
        var tasks: Int
        var kills: Int
        /// The bytes of log at which it compacts; nil for the library's own choice.
        var compactAt: Int?
    }

    private struct Totals {
        var kills = 0
        var killsBeforeOpen = 0
        var acknowledged = 0
        var tornTails = 0
        /// Kills that left a log behind which no snapshot had been written.
        var interruptedCompactions = 0
        var generations: UInt64 = 0
    }

    private func texts(_ store: Store) async -> [String: String] {
        Dictionary(uniqueKeysWithValues: await store.loadAll().map { ($0.id, $0.text) })
    }

    @Test func killsAtRandomMomentsLoseNothingThatWasAcknowledged() async throws {
        let kills = Effort.count(4, release: 20, full: 200)
        var totals = Totals()
        for seed in 0..<10 as Range<UInt64> {
            let campaign = Campaign(
                seed: seed,
                durability: seed % 2 == 0 ? "synced" : "written",
                tasks: [1, 4, 16, 1, 64][Int(seed) % 5],
                kills: kills
            )
            try await run(campaign, &totals)
        }
        print(
            "\(totals.kills) kills (\(totals.killsBeforeOpen) before the store was open): "
                + "\(totals.acknowledged) calls acknowledged and all there, \(totals.tornTails) torn tails"
        )
        #expect(totals.kills == 10 * kills)
        #expect(totals.kills - totals.killsBeforeOpen > totals.kills / 4)
        #expect(totals.acknowledged > totals.kills * 5 / 2)
    }

    @Test func killsWhileCompactingLoseNothingAndLeaveNothing() async throws {
        let kills = Effort.count(8, release: 50, full: 500)
        var totals = Totals()
        for seed in 100..<110 as Range<UInt64> {
            let campaign = Campaign(
                seed: seed,
                durability: seed % 2 == 0 ? "synced" : "written",
                tasks: [1, 8, 32][Int(seed) % 3],
                kills: kills,
                compactAt: 3_000
            )
            try await run(campaign, &totals)
        }
        print(
            "\(totals.kills) kills while compacting: \(totals.acknowledged) calls acknowledged and all there, "
                + "\(totals.generations) generations, \(totals.interruptedCompactions) compactions cut short"
        )
        #expect(totals.kills == 10 * kills)
        #expect(totals.generations > Effort.count(9, release: 20, full: 20))
        #expect(totals.interruptedCompactions > Effort.count(2, release: 50, full: 500))
    }

    /// No store has more than a generation before its newest, and what comes after it.
    private func expectTidy(_ directory: String, _ store: Store, _ name: String) async throws -> Int {
        let names = try POSIXFileSystem().names(in: "\(directory)/data.wal") ?? []
        #expect(!names.contains { $0.hasSuffix(".tmp") }, "\(name): \(names)")
        let snapshots = names.filter { $0.hasPrefix("snapshot") }
        let logs = names.filter { $0.hasPrefix("log") }
        #expect(snapshots.count <= 2, "\(name): \(names)")
        let newest = snapshots.compactMap { Int($0.dropFirst(9).prefix(10)) }.max() ?? 1
        return logs.filter { Int($0.dropFirst(4).prefix(10)) ?? 0 > newest }.isEmpty ? 0 : 1
    }

    private func run(_ campaign: Campaign, _ totals: inout Totals) async throws {
        let directory = try TemporaryDirectory()
        let output = "\(directory.path)/output"
        var random = SeededGenerator(seed: campaign.seed)
        var state: [String: String] = [:]
        for round in 0..<campaign.kills {
            let name = "\(campaign), round \(round)"
            let child = try CrashLab.writer(
                [
                    directory.path, "\(campaign.seed * 1_000 + UInt64(round))", "--durability",
                    campaign.durability,
                    "--tasks", "\(campaign.tasks)",
                ] + (campaign.compactAt.map { ["--compact-at", "\($0)"] } ?? []),
                output: output
            )
            // One in three dies while it starts or opens.
            let isEarly = random.oneIn(3)
            let code = try await child.kill(
                after: .microseconds(random.below(isEarly ? 60_000 : 30_000)),
                onceSaid: isEarly ? nil : "open",
                in: output
            )
            let text = try fileText(output)
            #expect(code == -9, "\(name): \(text.suffix(300))")

            let said = WriterReport(text)
            #expect(
                said.error == nil && said.failures.isEmpty,
                "\(name): \(said.error ?? "") \(said.failures)"
            )
            #expect(said.opened || isEarly, "\(name)")
            let store = try Store(directory: URL(filePath: directory.path, directoryHint: .isDirectory))
            let found = await texts(store)
            if let fault = said.fault(in: found, after: state) { Issue.record("\(name): \(fault)") }
            state = found
            totals.kills += 1
            totals.interruptedCompactions += try await expectTidy(directory.path, store, name)
            totals.killsBeforeOpen += said.opened ? 0 : 1
            totals.acknowledged += said.acknowledgedCount
            totals.tornTails += (store.recovery.bytesCut > 0 ? 1 : 0) + (said.bytesCut > 0 ? 1 : 0)
            totals.generations += round == campaign.kills - 1 ? await store.statistics.generation : 0
            // A store that was closed is opened in another way than one that was not.
            try await random.oneIn(2) ? store.close() : store.flush()
        }
    }

    @Test func aStoreThatAnotherProcessHoldsIsRefusedByItsPIDUntilThatProcessDies() async throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path, directoryHint: .isDirectory)
        let output = "\(directory.path)/output"
        let child = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(try await ChildProcess.hasSaid("open", in: output))
        do {
            _ = try Store(directory: url)
            Issue.record("two processes have one store open")
        } catch {
            #expect(error.code == .inUse)
            #expect(error.message.contains("process \(child.pid) "), "\(error)")
            #expect(!error.message.contains("this one"))
        }
        child.kill()
        _ = await child.wait()
        let store = try Store(directory: url)
        try await store.close()
    }

    @Test func aStoreThatThisProcessHoldsIsRefusedToAnother() async throws {
        let directory = try TemporaryDirectory()
        let output = "\(directory.path)/output"
        let store = try Store(directory: URL(filePath: directory.path, directoryHint: .isDirectory))
        let refused = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(await refused.wait() == 1)
        let said = try fileText(output)
        #expect(said.hasPrefix("error ") && said.contains("[inUse]"), "\(said)")
        #expect(said.contains("process \(ProcessInfo.processInfo.processIdentifier) "), "\(said)")
        try await store.close()
        let accepted = try CrashLab.writer([directory.path, "1"], output: output)
        #expect(try await ChildProcess.hasSaid("open", in: output))
        accepted.kill()
        _ = await accepted.wait()
    }
}
