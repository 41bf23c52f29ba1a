import LogFormat
import LogStorage
import TestSupport
import Testing
import WALStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When a compaction is not begun, or gives up, and what is said then.
@Suite struct CompactionRefusalTests {
    @Test func aSecondCompactionWaitsForTheFirstAndHasNothingToDo() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        disk.stallSyncs()
        let first = Task { try await repository.compact() }
        try await disk.waitForStalledSyncs()
        let second = Task { try await repository.compact() }
        try await Task.sleep(for: .milliseconds(20))
        disk.releaseSyncs()
        try await first.value
        try await second.value
        #expect(await repository.statistics.compactions == 1)
        try await repository.close()
    }

    @Test func aClosedStoreIsNotCompacted() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        try await repository.close()
        let operations = disk.operationCount
        #expect(await code { try await repository.compact() } == .closed)
        #expect(disk.operationCount == operations)
    }

    @Test func aPoisonedStoreIsNotCompacted() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        disk.fail(.nth(.sync, 0), code: EIO)
        #expect(await code { try await repository.save(Note("b", "2")) } == .outcomeUnknown)
        #expect(await code { try await repository.compact() } == .poisoned)
        #expect(await repository.texts == ["a": "1"])
    }

    @Test func aDiskThatDoesNotTellItsFreeSpaceStopsACompactionAndNothingElse() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        disk.fail(.every(.freeSpace), code: EIO)
        #expect(await code { try await repository.compact() } == .io)
        try await repository.save(Note("b", "2"))
        disk.clearFaults()
        try await repository.compact()
        #expect(await repository.statistics.compactions == 1)
        try await repository.close()
    }

    /// What the new log holds is not known then, so nothing more is written before it is opened again.
    @Test func aNewLogWhoseLengthIsNotToldEndsWriting() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        disk.fail(.every(.length), code: EIO, file: "2.jsonl.tmp")
        #expect(await code { try await repository.compact() } == .io)
        #expect(disk.injectedFaultCount == 1)
        #expect(await code { try await repository.save(Note("b", "2")) } == .io)
        try await repository.close()
        disk.clearFaults()
        #expect(try await open(on: disk).texts == ["a": "1"])
    }

    @Test func aHolderWithoutANoteIsSaidToHaveLeftNone() async throws {
        let disk = SimulatedDisk()
        try await open(on: disk).close()
        let lock = try disk.lock("\(Place.store)/lock", mode: .privateFile, note: "")
        let error = await storeError { _ = try open(on: disk) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("someone who left no note") == true)
        withExtendedLifetime(lock) {}
    }

    @Test func ofManyRecordsThatCannotBeDecodedTheFirstTenAreNamed() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(contentsOf: (10..<22).map { Note("n\($0)") })
        try await repository.close()
        struct Other: Codable, Identifiable, Sendable {
            var id: String
            var missing: Int
        }
        let error = await storeError { _ = try open(Other.self, on: disk) }
        #expect(error?.code == .undecodable)
        #expect(error?.message.contains("12 records") == true)
        #expect(error?.message.contains("n19\", …") == true)
        #expect(error?.message.contains("n20") == false)
    }
}
