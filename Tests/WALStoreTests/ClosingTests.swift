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

@Suite(.serialized) struct ClosingTests {
    @Test func closingWritesAMarkThatCoversEveryRecordAndClosingTwiceDoesNothing() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a"))
        try await repository.save(Note("b"))
        try await repository.close()
        let last = try #require(records(disk.durableContents(of: Place.log)).last)
        #expect(last.operation == .mark)
        #expect(last.head.sequenceNumber.rawValue == 3)
        #expect(last.head.synced?.rawValue == 2)
        let operations = disk.operationCount
        try await repository.close()
        try await repository.flush()
        #expect(disk.operationCount == operations)
        for _ in 0..<3 { try await open(on: disk).close() }
        #expect(records(disk.contents(of: Place.log)).count == 3, "no mark behind a mark")
    }

    @Test func closingAStoreWithoutRecordsWritesNoMark() async throws {
        let disk = SimulatedDisk()
        try await open(on: disk).close()
        #expect(records(disk.contents(of: Place.log)).isEmpty)
    }

    @Test func afterClosingSavesAreRefusedAndReadsGoOn() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        try await repository.close()
        let before = disk.files
        #expect(await code { try await repository.save(Note("b")) } == .closed)
        #expect(await code { try await repository.save(contentsOf: [Note("b")]) } == .closed)
        #expect(await code { try await repository.delete("a") } == .closed)
        #expect(await code { try await repository.delete(contentsOf: ["a"]) } == .closed)
        #expect(await repository.texts == ["a": "1"])
        #expect(await repository.count == 1)
        #expect(await repository.statistics.lastSequenceNumber == 2)
        #expect(disk.files == before)
    }

    @Test func closingWithSavesInFlightAnswersEveryOneOfThem() async throws {
        for _ in 0..<20 {
            let disk = SimulatedDisk()
            let repository = try open(on: disk)
            let savers = (0..<32).map { number in
                Task { await code { try await repository.save(Note("n\(number)")) } }
            }
            let closers = (0..<3).map { _ in Task { await code { try await repository.close() } } }
            for closer in closers { #expect(await closer.value == nil) }
            var saved = 0
            for saver in savers {
                let found = await saver.value
                #expect(found == nil || found == .closed)
                if found == nil { saved += 1 }
            }
            #expect(await repository.count == saved)
            let again = try open(on: disk.afterPowerCut(.nothingUnsynced))
            #expect(await again.count == saved)
        }
    }

    /// Symptom: of two tasks that closed a store, one came back while the store was still being closed,
    /// and opening it then failed with `.inUse`.
    /// Cause: a second close returned as soon as the first had begun.
    /// Must stay true: whoever comes back from `close` can open the store at once.
    @Test func everyoneWhoClosesWaitsUntilTheStoreIsGivenUp() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
        try await repository.save(Note("a"))
        disk.stallSyncs()
        let done = Counter()
        let closers = (0..<3).map { _ in
            Task {
                try await repository.close()
                done.add()
            }
        }
        try await disk.waitForStalledSyncs()
        try await Task.sleep(for: .milliseconds(50))
        #expect(done.value == 0)
        disk.releaseSyncs()
        for closer in closers { try await closer.value }
        #expect(disk.heldLockCount == 0)
    }

    /// Symptom: under `.written`, `flush` returned without an error before anything was stable, when
    /// another task was closing the store.
    /// Cause: a store that was being closed counted as closed, so that nothing was left to wait for.
    /// Must stay true: when `flush` returns, everything accepted before it is stable.
    @Test func aFlushDuringACloseWaitsForItsSync() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
        try await repository.save(Note("a", "1"))
        disk.stallSyncs()
        let close = Task { try await repository.close() }
        try await disk.waitForStalledSyncs()
        let flush = Task {
            try await repository.flush()
            return disk.afterPowerCut(.nothingUnsynced)
        }
        try await Task.sleep(for: .milliseconds(50))
        disk.releaseSyncs()
        let flushed = try open(on: try await flush.value)
        #expect(await flushed.texts == ["a": "1"])
        try await close.value
    }

    /// Symptom: the process was trapped, "A store syncs before it is closed."
    /// Cause: closing a store whose last append could not be cut back gave its file up while a sync ran
    /// that others waited behind.
    /// Must stay true: closing answers everyone who waits, in whatever state the store is.
    /// Symptom: the process died when stores were flushed while they were closed.
    /// Cause: closing gave the file up while a flush waited for its sync behind that of the mark.
    /// Must stay true: the file goes when no sync runs and nobody waits for one. Found by the orders of tasks (L6).
    @Test(.timeLimit(.minutes(30)))
    func flushingWhileTheMarkIsSyncedEndsWellForEveryone() async throws {
        for _ in 0..<100 {
            let disk = SimulatedDisk()
            let repository = try open(on: disk)
            try await repository.save(Note("a", "1"))
            let isOver = Counter()
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        while isOver.value == 0 {
                            try await repository.flush()
                            await Task.yield()
                        }
                    }
                }
                try await Task.sleep(for: .microseconds(200))
                try await repository.close()
                isOver.add()
                try await group.waitForAll()
            }
            #expect(disk.heldLockCount == 0)
        }
    }

    @Test func closingAPoisonedStoreWaitsForTheSyncThatRuns() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        disk.stallSyncs()
        let first = Task { await code { try await repository.save(Note("b", "2")) } }
        try await disk.waitForStalledSyncs()
        let second = Task { await code { try await repository.save(Note("c", "3")) } }
        #expect(try await eventually { await repository.statistics.lastSequenceNumber == 3 })
        disk.fail(.nth(.write, 0), code: ENOSPC, effect: .short(20))
        disk.fail(.nth(.truncate, 0), code: EIO)
        #expect(await code { try await repository.save(Note("d", "4")) } == .outcomeUnknown)
        let close = Task { await code { try await repository.close() } }
        try await Task.sleep(for: .milliseconds(50))
        disk.releaseSyncs()
        #expect(await first.value == nil)
        #expect(await second.value == nil)
        #expect(await close.value == nil)
        #expect(disk.heldLockCount == 0)
        let again = try open(on: disk)
        #expect(await again.texts == ["a": "1", "b": "2", "c": "3"])
        #expect(
            again.recovery.bytesCut == 21,
            "the twenty bytes, and the LF of the space they were written into"
        )
    }

    @Test func aCloseWhoseSyncFailsSaysSoAndGivesTheStoreUp() async throws {
        for failing in 0..<2 {
            let disk = SimulatedDisk()
            let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
            try await repository.save(Note("a", "1"))
            disk.fail(.nth(.sync, failing), code: EIO)
            #expect(await code { try await repository.close() } == .outcomeUnknown, "sync \(failing)")
            #expect(disk.heldLockCount == 0)
            #expect(disk.openFileCount == 0)
            #expect(await (try open(on: disk)).texts == ["a": "1"])
        }
    }

    #if os(Linux)
        /// The paths that this process has open below a directory.
        private func openPaths(below directory: String) throws -> [String] {
            var paths: [String] = []
            for name in try POSIXFileSystem().names(in: "/proc/self/fd") ?? [] {
                var buffer = [CChar](repeating: 0, count: 4096)
                let count = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
                guard count > 0 else { continue }
                let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if path.hasPrefix(directory) { paths.append(path) }
            }
            return paths
        }

        @Test func closingLeavesNoDescriptorOpen() async throws {
            let directory = try TemporaryDirectory()
            for _ in 0..<5 {
                let repository = try open(in: directory)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 { group.addTask { try await repository.save(Note("\(number)")) } }
                    try await group.waitForAll()
                }
                #expect(try openPaths(below: directory.path).count == 2, "the log and the lock")
                try await repository.close()
                #expect(try await eventually { try openPaths(below: directory.path).isEmpty })
                #expect(await repository.count == 16)
            }
        }
    #endif
}
