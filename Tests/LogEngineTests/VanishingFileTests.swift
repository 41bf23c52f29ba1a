import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import Synchronization
import TestSupport
import Testing

/// A disk on which one of the looks for a file finds nothing, as if somebody had just taken it away.
private final class VanishingDisk: FileSystem {
    private let disk: SimulatedDisk
    private let looks = Mutex(0)
    private let missing: Int

    init(_ disk: SimulatedDisk, missing: Int) {
        self.disk = disk
        self.missing = missing
    }

    /// How often something was looked for.
    var lookCount: Int { looks.withLock { $0 } }

    private func isThere() -> Bool {
        looks.withLock { looks in
            defer { looks += 1 }
            return looks != missing
        }
    }

    func names(in directory: String) throws(StorageError) -> [String]? {
        // A directory that goes once it was listed; one that was never there is no store.
        lookCount == 0 || isThere() ? try disk.names(in: directory) : nil
    }

    func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        isThere() ? try disk.openForReading(path) : nil
    }

    func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        isThere() ? try disk.openForWriting(path) : nil
    }

    func kind(of path: String) throws(StorageError) -> FileKind? { try disk.kind(of: path) }

    func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        try disk.createDirectory(path, mode: mode)
    }

    func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        try disk.create(path, mode: mode)
    }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try disk.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(StorageError) -> Bool { try disk.remove(path) }

    func syncDirectory(_ path: String) throws(StorageError) { try disk.syncDirectory(path) }

    func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        try disk.lock(path, mode: mode, note: note)
    }

    func freeSpace(at path: String) throws(StorageError) -> UInt64 { try disk.freeSpace(at: path) }
}

/// Whatever file of a store vanishes at whatever moment, that is an error or costs nothing.
@Suite struct VanishingFileTests {
    /// Two generations and what a crash has left of a third record.
    private func store(_ ending: [Step], tears: Bool) throws -> (disk: SimulatedDisk, moment: Moment) {
        var work = Workload(.holding([:]))
        let steps: [Step] = [
            .open, .append([.put("a", "1"), .put("b", "2")]), .sync, .compact, .append([.put("c", "3")]),
            .sync,
        ]
        try work.run(steps + ending)
        let moment = work.model.current
        work.giveUp()
        guard tears, let log = work.disk.paths.filter({ $0.contains("/log-") }).max() else {
            return (work.disk, moment)
        }
        let bytes = work.disk.contents(of: log) ?? []
        work.disk.setContents(log, bytes + Array(#"{"crc":"0"#.utf8))
        return (work.disk, moment)
    }

    /// Calls `body` with each look in turn finding nothing; returns how many there were.
    private func withEveryLook(
        of disk: SimulatedDisk,
        _ body: (StoreDirectory) throws -> Void
    ) throws -> (failures: Int, disks: [SimulatedDisk]) {
        let counting = VanishingDisk(disk.copy(), missing: -1)
        try body(StoreDirectory(path: StoreDirectory.simulated(disk).path, fileSystem: counting))
        var failures = 0
        var disks: [SimulatedDisk] = []
        for look in 0..<counting.lookCount {
            let copy = disk.copy()
            let vanishing = VanishingDisk(copy, missing: look)
            do {
                try body(StoreDirectory(path: StoreDirectory.simulated(copy).path, fileSystem: vanishing))
            } catch is EngineError {
                failures += 1
            } catch is NoStore {
                failures += 1
            }
            #expect(copy.openFileCount == 0 && copy.heldLockCount == 0, "look \(look)")
            disks.append(copy)
        }
        return (failures, disks)
    }

    @Test(arguments: [([Step](), true), ([], false), ([.close], false), ([.compact], false)])
    func openingFailsOrLosesNothing(_ ending: [Step], _ tears: Bool) throws {
        let (disk, moment) = try store(ending, tears: tears)
        let (failures, disks) = try withEveryLook(of: disk) { directory in
            var store = try EngineStore.open(directory)
            store.giveUp()
        }
        #expect(failures > 2)
        for disk in disks {
            let found = try Recovery.storePlan(.simulated(disk)).moment(in: .simulated(disk))
            #expect(found.state == moment.state)
        }
    }

    @Test func openingThatRebuildsFailsOrLosesNothing() throws {
        let (disk, moment) = try store([], tears: false)
        let snapshot = try #require(disk.paths.first { $0.contains("/snapshot-") })
        disk.setContents(snapshot, Array("damaged".utf8))
        let (failures, disks) = try withEveryLook(of: disk) { directory in
            var store = try EngineStore.open(directory)
            store.giveUp()
        }
        #expect(failures > 4)
        for disk in disks {
            let found = try Recovery.storePlan(.simulated(disk)).moment(in: .simulated(disk))
            #expect(found.state == moment.state)
        }
    }

    @Test func compactionAndRetentionFailOrLoseNothing() throws {
        let (disk, moment) = try store([], tears: false)
        let (failures, disks) = try withEveryLook(of: disk) { directory in
            var store = try EngineStore.open(directory)
            defer { store.giveUp() }
            var model = StoreModel(store.moment)
            try store.append([.put("d", "4")], &model)
            try store.compact(&model)
        }
        #expect(failures > 4)
        for disk in disks {
            var found = try Recovery.storePlan(.simulated(disk)).moment(in: .simulated(disk)).state
            found["\"d\""] = nil
            #expect(found == moment.state)
        }
    }

    @Test func salvageFailsOrSavesWhatItSees() throws {
        let (disk, _) = try store([.append([.put("e", "5")])], tears: true)
        let (failures, _) = try withEveryLook(of: disk) { directory in
            var salvage = try Salvage(of: directory)
            _ = try salvage.write(
                to: StoreDirectory(path: "/out", fileSystem: directory.fileSystem),
                store: LogBuilder.store,
                fileMode: .privateFile,
                directoryMode: .privateDirectory
            )
        }
        #expect(failures > 2)
    }

    @Test func aReaderKnowsLessOrNothing() throws {
        let (disk, moment) = try store(
            [.append([.put("e", "5")]), .sync, .append([.put("f", "6")])],
            tears: true
        )
        let (_, _) = try withEveryLook(of: disk) { directory in
            var limit = DurableLimit(directory)
            for _ in 0..<2 {
                guard let found = try limit.current() else { continue }
                #expect(found.sequenceNumber.rawValue <= moment.number)
            }
        }
    }
}
