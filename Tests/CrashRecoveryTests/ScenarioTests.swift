import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// Scenarios that trip naive stores and have no test of their own elsewhere; the list of all twenty is in
/// Docs/CrashTesting.md.
@Suite struct ScenarioTests {
    /// A log with one synced record, to be continued.
    private func log() -> LogBuilder {
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        return log
    }

    private func open(_ bytes: [UInt8]) throws -> EngineStore {
        try EngineStore.open(.simulated(.holding([StoreDirectory.logName(1): bytes])))
    }

    /// A planted fault is caught by short sequences, which the sound store survives.
    private func expectCaught(_ sabotage: Sabotage) {
        let caught = SabotageHunt.hunt(sabotage)
        #expect(caught.layer == .sequences, "\(sabotage.rawValue): \(caught)")
    }

    @Test func s02ALastLineWithoutItsEndAndAnEndBehindATornBodyDoNotCount() throws {
        var whole = log()
        let last = whole.put("b", "2")
        for length in last {
            let store = try open(Array(whole.bytes[..<length]))
            #expect(store.moment.state == [#""a""#: "1"], "cut to \(length)")
        }
        for length in last.dropFirst(1) {
            let store = try open(Array(whole.bytes[..<length]) + [0x0A])
            // The line without its own end, with another in its place, is whole again.
            let isWhole = length == last.upperBound - 1
            #expect((store.moment.number == 2) == isWhole, "cut to \(length), with an end")
        }
    }

    @Test func s03NULsForDataAndALaterPageThatLandedFirstAreATornTail() throws {
        var both = log()
        let first = both.put("b", "2")
        both.put("c", "3")
        for start in first {
            var bytes = both.bytes
            for index in start..<first.upperBound { bytes[index] = 0 }
            let store = try open(bytes)
            #expect(store.moment.state == [#""a""#: "1"], "NULs from \(start)")
            #expect(store.plan.cut?.isBlank == false && store.quarantined.count == 1)
        }
        let nuls = try open(log().bytes + [UInt8](repeating: 0, count: 4096))
        #expect(nuls.plan.cut?.isBlank == true && nuls.quarantined.isEmpty)
    }

    @Test func s05ANewLogWhoseDirectoryIsNotSyncedIsNotAppendedTo() {
        expectCaught(.skipsDirectorySyncs)
    }

    @Test func s06ASnapshotIsNotRenamedBeforeItsSync() {
        expectCaught(.renamesBeforeTheSync)
    }

    @Test func s07AnOldLogStaysUntilTheRenameIsDurable() {
        expectCaught(.removesLogsBeforeTheRename)
        expectCaught(.removesLogsBeforeTheDirectorySync)
    }

    @Test func s08ACrashBetweenRenameAndRemovalLosesNothing() throws {
        let steps: [Step] = [
            .open, .append([.put("a", "1")]), .compact, .append([.put("b", "2")]), .compact,
            .append([.put("c", "3"), .delete("a")]), .compact,
        ]
        var whole = Workload(SimulatedDisk())
        try whole.run(steps)
        let operations = whole.disk.operations
        let rename = try #require(
            operations.lastIndex { $0.kind == .rename && $0.newPath?.contains("snapshot-") == true }
        )
        let removals = operations.indices.filter { $0 > rename && operations[$0].kind == .remove }
        #expect(removals.count >= 2)
        for operation in rename...operations.count {
            for seed in 0..<50 as Range<UInt64> {
                let disk = SimulatedDisk()
                disk.cutPower(beforeOperation: operation)
                var work = Workload(disk)
                try work.runUntilPowerCut(steps)
                do {
                    try Workload.checkRecovery(disk.afterPowerCut(.random(seed: seed)), work.model)
                } catch {
                    Issue.record(
                        "cut before \(operations.dropFirst(operation).first.debugDescription): \(error)"
                    )
                }
            }
        }
    }
}
