import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import Synchronization
import TestSupport
import Testing

/// What happens only where files are large, or where someone looks on.
@Suite struct LargeFileTests {
    /// A log with a value of so many bytes, and another record.
    private func store(valueBytes: Int) throws -> SimulatedDisk {
        var work = Workload(.holding([:]))
        let value = "\"\(String(repeating: "x", count: valueBytes))\""
        try work.run([
            .open, .append([.put("a", value)]), .append([.put("b", value)]), .append([.put("c", "3")]), .sync,
        ])
        work.giveUp()
        return work.disk
    }

    private func header(_ plan: StorePlan) -> FileHeader {
        FileHeader(
            kind: .snapshot,
            store: LogBuilder.store,
            generation: 2,
            firstSequenceNumber: plan.lastSequenceNumber.next,
            deletesSince: plan.lastSequenceNumber.next,
            time: plan.lastTime
        )
    }

    /// Symptom: a feed far behind took a log for damaged: "the file ends inside a line".
    /// Cause: retention shortened large files step by step before it removed them, and the feed had one open.
    /// Must stay true: who has a file open goes on with all of its bytes when retention removes it.
    @Test func aLargeFileThatIsRemovedKeepsItsBytesForWhoReadsIt() throws {
        let disk = try store(valueBytes: 7 << 20)
        let file = try #require(try disk.openForReading("/d/store.wal/\(StoreDirectory.logName(1))"))
        let length = try file.length()
        #expect(length > 14 << 20)
        try Retention.remove(below: 2, from: .simulated(disk))
        #expect(disk.sortedNames(in: "/d/store.wal") == ["lock"])
        #expect(try file.length() == length)
    }

    @Test func aLargeCopyIsSyncedOnItsWayAndRestsForThoseWhoSave() throws {
        let disk = try store(valueBytes: 3 << 20)
        let plan = try Recovery.storePlan(.simulated(disk))
        let watched = Mutex<Compactor.Progress?>(nil)
        // Each report is followed by a save, so that the merge has somebody to make room for.
        let progress = Compactor.Progress { _ in watched.withLock { $0 }?.noteSave() }
        watched.withLock { $0 = progress }
        let before = disk.syncCount
        _ = try Compactor(.simulated(disk), mode: .privateFile, progress: progress).merge(
            plan.files,
            into: header(plan)
        )
        #expect(disk.syncCount - before >= 3)
        watched.withLock { $0 = nil }
    }

    @Test func aStoppedMergeLeavesNothing() throws {
        let disk = try store(valueBytes: 10)
        let plan = try Recovery.storePlan(.simulated(disk))
        let progress = Compactor.Progress()
        progress.stop()
        let error = #expect(throws: EngineError.self) {
            try Compactor(.simulated(disk), mode: .privateFile, progress: progress)
                .merge(plan.files, into: header(plan))
        }
        #expect(error?.code == .closed)
        #expect(!disk.paths.contains { $0.contains("snapshot") || $0.hasSuffix(".tmp") })
    }

    /// The first pass over a log saw a sound record where the second finds other bytes.
    @Test func aLineThatChangesBetweenThePassesIsCorruption() throws {
        let disk = try store(valueBytes: 10)
        let plan = try Recovery.storePlan(.simulated(disk))
        let path = "/d/store.wal/\(StoreDirectory.logName(1))"
        let bytes = try #require(disk.contents(of: path))
        let reports = Mutex(0)
        let progress = Compactor.Progress { _ in
            guard
                reports.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return }
            var damaged = bytes
            damaged[damaged.count - 10] ^= 1
            disk.setContents(path, damaged)
        }
        let error = #expect(throws: EngineError.self) {
            try Compactor(.simulated(disk), mode: .privateFile, progress: progress)
                .merge(plan.files, into: header(plan))
        }
        #expect(error?.code == .corruption)
        #expect(!disk.paths.contains { $0.contains("snapshot") || $0.hasSuffix(".tmp") })
    }

    @Test(arguments: ["store.wal", "./store.wal", "up/store.wal//"])
    func aDirectoryOfARelativePathIsMadeWithItsParents(_ path: String) throws {
        let disk = SimulatedDisk()
        try StoreCreation.directory(StoreDirectory(path: path, fileSystem: disk), mode: .privateDirectory)
        #expect(try disk.kind(of: path) == .directory)
    }

    /// A parent that may not be synced was not made by this process.
    @Test func aParentThatMayNotBeReadIsNoObstacle() throws {
        let disk = SimulatedDisk()
        disk.addDirectory("/other/own")
        disk.fail(.nth(.syncDirectory, 0), code: 13)
        try StoreCreation.directory(
            StoreDirectory(path: "/other/own", fileSystem: disk),
            mode: .privateDirectory
        )
        #expect(disk.injectedFaultCount == 1)
    }
}
