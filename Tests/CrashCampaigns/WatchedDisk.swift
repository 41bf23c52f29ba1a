package import LogStorage
package import TestSupport

/// A simulated disk that calls someone before each operation that changes something, and that is
/// sabotaged where a campaign wants that.
///
/// The watcher is called outside of the disk's lock, so it may take images of the disk.
package final class WatchedDisk: FileSystem {
    package let disk: SimulatedDisk
    let sabotage: Sabotage?
    private let watcher: (@Sendable (WatchedDisk) -> Void)?

    package init(
        _ disk: SimulatedDisk,
        sabotage: Sabotage? = nil,
        watcher: (@Sendable (WatchedDisk) -> Void)? = nil
    ) {
        self.disk = disk
        self.sabotage = sabotage
        self.watcher = watcher
    }

    func willChange() { watcher?(self) }

    // MARK: Reading

    package func names(in directory: String) throws(StorageError) -> [String]? {
        try readable([]) { () throws(StorageError) in try disk.names(in: directory) }
    }

    package func kind(of path: String) throws(StorageError) -> FileKind? {
        try disk.kind(of: path)
    }

    package func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try readable(nil) { () throws(StorageError) in
            guard let file = try disk.openForReading(path) else { return nil }
            if sabotage == .restampsDamagedLines, path.hasSuffix(".jsonl") {
                return try RestampedFile(file, path)
            }
            return WatchedFile(file, self, path)
        }
    }

    package func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try disk.openForWriting(path).map { WatchedFile($0, self, path) }
    }

    package func freeSpace(at path: String) throws(StorageError) -> UInt64 {
        try disk.freeSpace(at: path)
    }

    private func readable<Result>(
        _ missing: Result,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            guard sabotage == .takesUnreadableForMissing, !error.isPowerCut else { throw error }
            return missing
        }
    }

    // MARK: Changing

    package func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        willChange()
        return try disk.createDirectory(path, mode: mode)
    }

    package func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        willChange()
        var path = path
        if sabotage == .replacesInPlace, path.hasSuffix(".tmp") { path.removeLast(4) }
        return WatchedFile(try disk.create(path, mode: mode), self, path)
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        willChange()
        switch sabotage {
        case .replacesInPlace where path.hasSuffix(".tmp"): return
        case .renamesInTwoSteps:
            _ = try disk.remove(newPath)
            willChange()
        case .removesLogsBeforeTheRename where newPath.contains("snapshot-"):
            try removeLogs(before: newPath)
            willChange()
        default: break
        }
        try disk.rename(path, to: newPath)
    }

    /// Removes the logs that the snapshot at `path` will replace.
    private func removeLogs(before path: String) throws(StorageError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let directory = path[..<slash]
        let generation = path.suffix(16).prefix(10)
        for name in disk.sortedNames(in: String(directory))
        where name.hasPrefix("log-") && name.dropFirst(4).prefix(10) < generation {
            _ = try disk.remove("\(directory)/\(name)")
        }
    }

    package func remove(_ path: String) throws(StorageError) -> Bool {
        willChange()
        if sabotage == .keepsTemporaries, path.hasSuffix(".tmp") { return true }
        return try disk.remove(path)
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        willChange()
        switch sabotage {
        case .skipsDirectorySyncs: return
        case .removesLogsBeforeTheDirectorySync where disk.operations.last?.isSnapshotRename == true: return
        default: try disk.syncDirectory(path)
        }
    }

    package func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        if sabotage == .locksForEveryone { return .acquired(NoLock()) }
        return try disk.lock(path, mode: mode, note: note)
    }
}

private final class NoLock: HeldLock {}

extension DiskOperation {
    /// Whether a snapshot got its name by it.
    fileprivate var isSnapshotRename: Bool {
        kind == .rename && newPath?.contains("snapshot-") == true
    }
}

/// An open file of a watched disk.
private final class WatchedFile: StorageFile {
    private let file: any StorageFile
    private let disk: WatchedDisk
    private let path: String

    init(_ file: any StorageFile, _ disk: WatchedDisk, _ path: String) {
        self.file = file
        self.disk = disk
        self.path = path
    }

    func length() throws(StorageError) -> UInt64 { try file.length() }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        disk.willChange()
        if disk.sabotage == .keepsNothingInQuarantine, path.contains("/quarantine/") { return }
        do throws(StorageError) {
            try file.write(bytes, at: offset)
        } catch {
            guard disk.sabotage == .hidesFailedWrites, !error.isPowerCut else { throw error }
        }
    }

    func truncate(to length: UInt64) throws(StorageError) {
        disk.willChange()
        if disk.sabotage == .skipsTruncations { return }
        try file.truncate(to: length)
    }

    func sync() throws(StorageError) {
        disk.willChange()
        switch disk.sabotage {
        case .skipsFileSyncs: return
        case .renamesBeforeTheSync where path.hasSuffix(".tmp"): return
        default: break
        }
        do throws(StorageError) {
            try file.sync()
        } catch {
            guard !error.isPowerCut else { throw error }
            switch disk.sabotage {
            case .hidesFailedSyncs: return
            case .retriesFailedSyncs: try file.sync()
            default: throw error
            }
        }
    }
}

/// A file whose damaged lines get a checksum that fits: a store that does not check any.
private final class RestampedFile: StorageFile {
    private let bytes: [UInt8]
    private let file: any StorageFile

    init(_ file: any StorageFile, _ path: String) throws(StorageError) {
        self.file = file
        let all = try file.bytes(in: 0..<file.length(), path: path)
        var lines = all.split(separator: 0x0A, omittingEmptySubsequences: false)
        let rest = lines.removeLast()
        var stamped: [UInt8] = []
        for line in lines {
            if line.count > 18, line.starts(with: Array(#"{"crc":""#.utf8)) {
                stamped += LogBuilder.line(members: Array(line.dropFirst(18)))
            } else {
                stamped += line + [0x0A]
            }
        }
        bytes = stamped + rest
    }

    func length() -> UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        try file.write(bytes, at: offset)
    }

    func truncate(to length: UInt64) throws(StorageError) { try file.truncate(to: length) }

    func sync() throws(StorageError) { try file.sync() }
}
