import LogStorage
import TestSupport
import Testing

/// Processes, handles, stalled syncs and copies on the simulated disk.
@Suite struct SimulatedProcessTests {
    @Test func openFilesAndHeldLocksAreCounted() throws {
        let disk = SimulatedDisk(file: "text")
        do {
            let reader = try disk.openForReading("/d/f")
            let writer = try disk.openForWriting("/d/f")
            let lock = try disk.lock("/d/lock", mode: .privateFile, note: "me")
            #expect(disk.openFileCount == 2)
            #expect(disk.heldLockCount == 1)
            withExtendedLifetime((reader, writer, lock)) {}
        }
        #expect(disk.openFileCount == 0)
        #expect(disk.heldLockCount == 0)
        #expect(disk.operationCount == 0, "locks and reads are no operations")
    }

    @Test func aDeadProcessHoldsNoLock() throws {
        let disk = SimulatedDisk(file: "text")
        let lock = try disk.lock("/d/lock", mode: .privateFile, note: "me")
        for later in [disk.afterKill(), disk.afterPowerCut(.nothingUnsynced), disk.copy()] {
            #expect(later.heldLockCount == 0)
            guard case .acquired = try later.lock("/d/lock", mode: .privateFile, note: "you") else {
                Issue.record("The lock outlived its process.")
                continue
            }
        }
        #expect(disk.heldLockCount == 1)
        withExtendedLifetime(lock) {}
    }

    @Test func copiesGoTheirOwnWays() throws {
        let disk = SimulatedDisk(file: "text")
        let file = try disk.writable("/d/f")
        try file.write(Array("T".utf8), at: 0)
        disk.fail(.every(.sync), code: 5)
        let copy = disk.copy()
        try file.write(Array("original".utf8), at: 0)
        try copy.writable("/d/f").write(Array("a copy".utf8), at: 0)
        #expect(disk.text("/d/f") == "original")
        #expect(copy.text("/d/f") == "a copy")
        #expect(copy.operationCount == 2)
        #expect(copy.afterPowerCut(.nothingUnsynced).text("/d/f") == "text")
        #expect(throws: StorageError.self) { try copy.writable("/d/f").sync() }
        let killed = disk.afterKill()
        #expect(killed.operationCount == 0)
        try killed.writable("/d/f").sync()
        #expect(killed.afterPowerCut(.nothingUnsynced).text("/d/f") == "original")
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "text")
    }

    @Test func aSyncAnswersForWhatWasWrittenBeforeItBegan() async throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        try file.write(Array("before".utf8), at: 0)
        disk.stallSyncs()
        async let first: Void = Self.sync(file)
        try await disk.waitForStalledSyncs()
        try file.write(Array("behind".utf8), at: 6)
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "")
        disk.releaseSyncs()
        try await first
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "before")
        #expect(disk.text("/d/f") == "beforebehind")
        try file.sync()
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "beforebehind")
    }

    @Test func aSyncThatStallsWhenThePowerIsCutFails() async throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        try file.write([1], at: 0)
        disk.stallSyncs()
        async let sync: Void = Self.sync(file)
        try await disk.waitForStalledSyncs()
        disk.cutPower()
        disk.releaseSyncs()
        do {
            try await sync
            Issue.record("The sync succeeded without power.")
        } catch let error as StorageError {
            #expect(error.isPowerCut)
        }
        #expect(disk.afterPowerCut(.nothingUnsynced).contents(of: "/d/f") == [])
    }

    @Test func aDirectoryGoesToARealDiskAndComesBack() throws {
        let directory = try TemporaryDirectory()
        let disk = SimulatedDisk(file: "text")
        disk.setContents("/d/inner/g", [0, 1, 255])
        disk.addDirectory("/d/empty")
        try disk.save("/d", to: "\(directory.path)/d", of: POSIXFileSystem())
        let back = SimulatedDisk()
        try back.load("\(directory.path)/d", of: POSIXFileSystem(), to: "/d")
        #expect(back.files == disk.files)
        #expect(try back.kind(of: "/d/empty") == .directory)
        #expect(back.afterPowerCut(.nothingUnsynced).files == disk.files)
        #expect(back.operationCount == 0)
    }

    @Test func contentsSetByATestAreStable() throws {
        let disk = SimulatedDisk(file: "old")
        let file = try disk.writable("/d/f")
        try file.write(Array("unsynced".utf8), at: 0)
        disk.setContents("/d/f", Array("set".utf8))
        #expect(disk.text("/d/f") == "set")
        #expect(disk.durableContents(of: "/d/f") == Array("set".utf8))
        try file.write(Array("!".utf8), at: 3)
        try file.sync()
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "set!")
        _ = try disk.create("/d/g", mode: .privateFile)
        disk.setContents("/d/g", [1])
        #expect(disk.afterPowerCut(.nothingUnsynced).paths == ["/d/f", "/d/g"])
        disk.removeContents("/d/f")
        #expect(disk.afterPowerCut(.everything).paths == ["/d/g"])
    }

    @Test func oneSeedGivesOneDisk() throws {
        let disk = SimulatedDisk(file: "old")
        for offset in 0..<20 as Range<UInt64> {
            try disk.writable("/d/f").write([1, 2, 3, 4], at: offset * 4)
        }
        _ = try disk.create("/d/g", mode: .privateFile)
        for seed in 0..<200 as Range<UInt64> {
            let survivors = Survivors.random(seed: seed)
            #expect(disk.afterPowerCut(survivors).files == disk.afterPowerCut(survivors).files)
        }
        #expect(Set((0..<200).map { disk.afterPowerCut(.random(seed: $0)).files }).count > 100)
    }

    /// On a thread that may block.
    private static func sync(_ file: any StorageFile) async throws {
        try await Blocking().sync(file)
    }

    private actor Blocking {
        private let executor = SyncExecutor(label: "blocking")

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func sync(_ file: any StorageFile) throws {
            try file.sync()
        }
    }
}
