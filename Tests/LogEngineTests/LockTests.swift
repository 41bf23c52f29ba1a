import CrashCampaigns
import LogEngine
import LogStorage
import TestSupport
import Testing

@Suite struct LockTests {
    private func expectOneWriter(_ directory: StoreDirectory) throws {
        let path = directory.path(of: StoreDirectory.lockName)
        var model = StoreModel()
        var store = try EngineStore.open(directory)
        try store.append([.put("a", "1")], &model)
        for _ in 0..<3 {
            #expect(throws: StoreInUse.self) { try EngineStore.open(directory) }
            let second = try directory.fileSystem.lock(path, mode: .privateFile, note: "someone else")
            guard case .held(let holder) = second else {
                Issue.record("Two hold the lock.")
                return
            }
            #expect(holder == "the test")
        }
        try store.sync(&model)
        store.giveUp()
        let next = try EngineStore.open(directory)
        #expect(next.moment == model.current)
    }

    @Test func aSecondOpenerIsToldWhoHoldsTheStore() throws {
        let disk = SimulatedDisk()
        try expectOneWriter(.simulated(disk))
        #expect(disk.heldLockCount == 0 && disk.openFileCount == 0)
    }

    @Test func aSecondOpenerIsToldWhoHoldsTheStoreOnARealFileSystem() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/a/b/store.wal"
        try expectOneWriter(StoreDirectory(path: path, fileSystem: POSIXFileSystem()))
    }

    @Test func aLockFileThatNobodyHoldsIsNoObstacle() throws {
        let disk = SimulatedDisk.holding(["lock": Array("process 1, long dead".utf8)])
        let store = try EngineStore.open(.simulated(disk))
        #expect(store.moment == .beginning)
    }

    @Test func evidenceWithoutAStoreIsAnErrorAndAnEmptyQuarantineIsNone() throws {
        let disk = SimulatedDisk.holding(["quarantine/log-0000000001.jsonl.5.1.bytes": [1]])
        let before = disk.files
        #expect(try StoreDirectory.simulated(disk).refusal()?.code == .filesMissing)
        #expect(disk.files == before)
        let empty = SimulatedDisk()
        empty.addDirectory("/d/store.wal/quarantine")
        guard case .absent = try Recovery.plan(.simulated(empty)) else {
            Issue.record("An empty quarantine is no evidence of a store.")
            return
        }
    }

    @Test func whatCannotBeReadIsAnErrorAndNeverAnEmptyStore() throws {
        var work = Workload(SimulatedDisk())
        try work.run([.open, .append([.put("a", "1")]), .close])
        for code in [13, 5, 24] as [Int32] {
            for kind in [StorageError.Operation.list, .open, .length, .read] {
                let disk = work.disk.copy()
                disk.fail(.every(kind), code: code)
                let before = disk.files
                #expect(try StoreDirectory.simulated(disk).refusal()?.code == .io, "\(kind) \(code)")
                #expect(throws: (any Error).self) { try EngineStore.open(.simulated(disk)) }
                #expect(
                    disk.files.filter { !$0.key.hasSuffix("lock") }
                        == before.filter {
                            !$0.key.hasSuffix("lock")
                        }
                )
            }
        }
    }
}
