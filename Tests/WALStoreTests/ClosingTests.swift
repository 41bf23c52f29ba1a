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
        #expect(again.recovery.bytesCut == 20)
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
    #endif
}
