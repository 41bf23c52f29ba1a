import LogFormat
import LogStorage
import TestSupport
import Testing
import WALStore

@Suite(.serialized) struct DurabilityTests {

    // MARK: Written

    /// Symptom: under `.written` a save could stay unsynced until the next one, however long that took.
    /// Cause: the timer fired while an older sync ran, and neither synced again nor was set again.
    /// Must stay true: what is written is synced within the interval, or right behind the sync that runs then.
    @Test func aTimerThatFiresDuringAnOlderSyncIsFollowedByAnother() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .milliseconds(100)))
        try await repository.save(Note("a", "1"))
        disk.stallSyncs()
        let flush = Task { try await repository.flush() }
        try await disk.waitForStalledSyncs()
        try await repository.save(Note("b", "1"))
        try await Task.sleep(for: .milliseconds(300))
        disk.releaseSyncs()
        try await flush.value
        #expect(try await eventually { await repository.statistics.stableSequenceNumber == 2 })
        let after = try open(on: disk.afterPowerCut(.nothingUnsynced))
        #expect(await after.texts == ["a": "1", "b": "1"])
    }

    // MARK: Cancellation
}
