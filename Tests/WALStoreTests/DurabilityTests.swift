import LogFormat
import LogStorage
import TestSupport
import Testing
import WALStore

@Suite(.serialized) struct DurabilityTests {
    @Test func readsDuringAStalledSyncReturnAtOnceAndShowOnlyWhatIsAcknowledged() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(contentsOf: [Note("a", "old"), Note("b", "old")])
        disk.stallSyncs()
        let first = Task { try await repository.save(Note("a", "new")) }
        try await disk.waitForStalledSyncs()
        let later = Task {
            try await repository.save(contentsOf: [Note("c", "new"), Note("d", "new")])
            try await repository.delete("b")
        }
        #expect(try await eventually { await repository.statistics.lastSequenceNumber == 5 })
        // A read that waited for the sync would wait for ever.
        for _ in 0..<1_000 {
            #expect(await repository.find(by: "a")?.text == "old")
            #expect(await repository.find(by: "c") == nil)
        }
        #expect(await repository.texts == ["a": "old", "b": "old"])
        #expect(await repository.count == 2)
        #expect(await !repository.contains("d"))
        #expect(await repository.filter { $0.text == "new" }.isEmpty)
        #expect(disk.stalledSyncCount == 1, "the sync was stalled all the while")
        disk.releaseSyncs()
        try await first.value
        try await later.value
        #expect(await repository.texts == ["a": "new", "c": "new", "d": "new"])
    }

    @Test func deletingAnIDWhoseDeleteIsOnItsWayWaitsForIt() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a"))
        disk.stallSyncs()
        let done = Counter()
        let first = Task { try await repository.delete("a") }
        try await disk.waitForStalledSyncs()
        let second = Task {
            try await repository.delete("a")
            done.add()
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(done.value == 0, "acknowledged before the delete is stable")
        #expect(await repository.contains("a"))
        disk.releaseSyncs()
        try await first.value
        try await second.value
        #expect(await !repository.contains("a"))
        #expect(await repository.statistics.recordsWritten == 2)
    }

    @Test func savesThatRunAtTheSameTimeShareASync() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        let before = disk.syncCount
        disk.stallSyncs()
        let savers = (0..<64).map { number in
            Task { try await repository.save(Note("n\(number)", "x")) }
        }
        #expect(try await eventually { await repository.statistics.lastSequenceNumber == 64 })
        disk.releaseSyncs()
        for saver in savers { try await saver.value }
        #expect(disk.syncCount - before == 2, "the first for one save, the second for 63")
        let statistics = await repository.statistics
        #expect(statistics.syncs == 2)
        #expect(statistics.largestGroup == 63)
        #expect(await repository.count == 64)
    }

    /// Savers can only share a sync when they run at the same time. Where other tests hold the threads of
    /// the pool they run one after the other, so it is tried again until they have had threads.
    @Test func sixtyFourSaversOnARealDiskUseFarFewerSyncsThanSaves() async throws {
        var isShared = false
        for attempt in 0..<20 where !isShared {
            if attempt > 0 { try await Task.sleep(for: .seconds(5)) }
            isShared = try await sixtyFourSaversShareTheirSyncs()
        }
        #expect(isShared)
    }

    private func sixtyFourSaversShareTheirSyncs() async throws -> Bool {
        let directory = try TemporaryDirectory()
        let repository = try open(in: directory)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for saver in 0..<64 {
                group.addTask {
                    for number in 0..<30 { try await repository.save(Note("\(saver)", "\(number)")) }
                }
            }
            try await group.waitForAll()
        }
        let statistics = await repository.statistics
        print(
            "64 savers: \(statistics.recordsWritten) saves, \(statistics.syncs) syncs, "
                + "largest group \(statistics.largestGroup)"
        )
        #expect(statistics.recordsWritten == 64 * 30)
        try await repository.close()
        #expect(await (try open(in: directory)).texts.values.allSatisfy { $0 == "29" })
        return statistics.syncs * 4 < statistics.recordsWritten
    }

    @Test func concurrentSavesToOneIDEndWithTheLastAcceptedInMemoryAndOnDisk() async throws {
        for durability in [StoreConfiguration.Durability.synced, .written(syncEvery: .milliseconds(1))] {
            let disk = SimulatedDisk()
            let repository = try open(on: disk, durability)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let error = await storeError {
                            if number % 7 == 3 {
                                try await repository.delete("x")
                            } else {
                                try await repository.save(Note("x", "\(number)"))
                            }
                        }
                        #expect(error == nil)
                    }
                }
            }
            let found = await repository.find(by: "x")
            let last = try #require(records(disk.contents(of: Place.log)).last)
            let expected = last.operation == .put ? text(last.value) : nil
            #expect(found.map { #"{"id":"x","text":"\#($0.text)"}"# } == expected)
            try await repository.close()
            #expect(await (try open(on: disk)).find(by: "x") == found)
        }
    }

    @Test func savesOfOneTaskAreSeenInTheirOrderByEveryReader() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(in: directory)
        let reader = Task {
            var newest = -1
            while !Task.isCancelled {
                let seen = await repository.find(by: "x").flatMap { Int($0.text) } ?? -1
                #expect(seen >= newest)
                newest = seen
                // A call of an idle actor is no suspension, and other tests want the thread too.
                await Task.yield()
            }
        }
        for number in 0..<200 {
            try await repository.save(Note("x", "\(number)"))
            #expect(await repository.find(by: "x")?.text == "\(number)", "a saver reads its own save")
        }
        reader.cancel()
        await reader.value
    }

    // MARK: Written

    @Test func underWrittenASaveIsVisibleAtOnceAndDurableAfterAFlush() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
        let syncs = disk.syncCount
        disk.stallSyncs()
        try await repository.save(Note("a", "1"))
        try await repository.save(contentsOf: [Note("b", "1"), Note("c", "1")])
        try await repository.delete("b")
        #expect(await repository.texts == ["a": "1", "c": "1"])
        #expect(disk.syncCount == syncs)
        #expect(await (try open(on: disk.afterPowerCut(.nothingUnsynced))).count == 0)
        #expect(await (try open(on: disk.afterKill())).texts == ["a": "1", "c": "1"])
        disk.releaseSyncs()
        try await repository.flush()
        #expect(await (try open(on: disk.afterPowerCut(.nothingUnsynced))).texts == ["a": "1", "c": "1"])
        #expect(await repository.statistics.stableSequenceNumber == 4)
    }

    @Test func underWrittenWhatIsSavedIsSyncedWithinTheInterval() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .milliseconds(20)))
        for number in 0..<3 {
            try await repository.save(Note("a", "\(number)"))
            #expect(
                try await eventually {
                    await repository.statistics.stableSequenceNumber == UInt64(number) + 1
                }
            )
            let after = try open(on: disk.afterPowerCut(.nothingUnsynced))
            #expect(await after.texts == ["a": "\(number)"])
        }
        #expect(await repository.statistics.syncs == 3)
    }

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

    @Test func aCancelledTaskWritesNothing() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a"))
        let operations = disk.operationCount
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return [
                await storeError { try await repository.save(Note("b")) },
                await storeError { try await repository.save(contentsOf: [Note("b"), Note("c")]) },
                await storeError { try await repository.delete("a") },
            ]
        }
        for error in await task.value {
            #expect(error?.code == .cancelled)
            #expect(error?.cause is CancellationError)
        }
        #expect(disk.operationCount == operations)
        #expect(await repository.texts == ["a": ""])
    }

    @Test func aSaveThatIsCancelledWhileItWaitsForItsSyncCompletes() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        disk.stallSyncs()
        let tasks = (0..<4).map { number in
            Task { try await repository.save(Note("n\(number)")) }
        }
        #expect(try await eventually { await repository.statistics.lastSequenceNumber == 4 })
        for task in tasks { task.cancel() }
        disk.releaseSyncs()
        for task in tasks { try await task.value }
        #expect(await repository.count == 4)
        #expect(await (try open(on: disk.afterPowerCut(.nothingUnsynced))).count == 4)
    }
}
