import LogStorage
import TestSupport

/// A disk in whose calls other tasks of a schedule may come in between, and which keeps what is written
/// to the logs.
final class ScheduledDisk: FileSystem {
    private let disk: SimulatedDisk
    private let schedule: Schedule
    private let history: ScheduleHistory

    init(_ disk: SimulatedDisk, _ schedule: Schedule, _ history: ScheduleHistory) {
        self.disk = disk
        self.schedule = schedule
        self.history = history
        disk.whileSyncing { [unowned schedule] in schedule.interleave() }
    }

    private func wrap(_ file: (any StorageFile)?, _ path: String) -> (any StorageFile)? {
        file.map { ScheduledFile($0, schedule, isLog(path) ? history : nil) }
    }

    private func isLog(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix("log-") ?? false
    }

    func names(in directory: String) throws(StorageError) -> [String]? {
        schedule.interleave()
        return try disk.names(in: directory)
    }

    func kind(of path: String) throws(StorageError) -> FileKind? { try disk.kind(of: path) }

    func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        schedule.interleave()
        return wrap(try disk.openForReading(path), path)
    }

    func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        wrap(try disk.openForWriting(path), path)
    }

    func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        schedule.interleave()
        return try disk.createDirectory(path, mode: mode)
    }

    func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        schedule.interleave()
        let file = try disk.create(path, mode: mode)
        return ScheduledFile(file, schedule, isLog(path) ? history : nil)
    }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        schedule.interleave()
        try disk.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(StorageError) -> Bool {
        schedule.interleave()
        return try disk.remove(path)
    }

    func syncDirectory(_ path: String) throws(StorageError) {
        schedule.interleave()
        try disk.syncDirectory(path)
    }

    func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        // The note names the process and the time, and a disk has to be the same in every run.
        try disk.lock(path, mode: mode, note: "a schedule")
    }

    func freeSpace(at path: String) throws(StorageError) -> UInt64 { try disk.freeSpace(at: path) }
}

private final class ScheduledFile: StorageFile {
    private let file: any StorageFile
    private let schedule: Schedule
    /// Of a log.
    private let history: ScheduleHistory?

    init(_ file: any StorageFile, _ schedule: Schedule, _ history: ScheduleHistory?) {
        self.file = file
        self.schedule = schedule
        self.history = history
    }

    func length() throws(StorageError) -> UInt64 { try file.length() }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        schedule.interleave()
        history?.willWrite(Array(bytes))
        try file.write(bytes, at: offset)
        history?.didWrite()
    }

    func truncate(to length: UInt64) throws(StorageError) {
        schedule.interleave()
        try file.truncate(to: length)
    }

    func sync() throws(StorageError) {
        schedule.interleave()
        try file.sync()
        history?.didSync()
    }
}
