import LogStorage
import TestSupport

/// A file system that changes a bit of one file when it is read.
final class LyingFileSystem: FileSystem {
    private let inner: SimulatedDisk
    private let path: String

    init(_ inner: SimulatedDisk, path: String) {
        self.inner = inner
        self.path = path
    }

    func names(in directory: String) throws(StorageError) -> [String]? { try inner.names(in: directory) }
    func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        try inner.createDirectory(path, mode: mode)
    }
    func kind(of path: String) throws(StorageError) -> FileKind? { try inner.kind(of: path) }
    func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        if path == self.path, var bytes = inner.contents(of: path) {
            bytes[bytes.count / 2] |= 0x80
            inner.setContents(path, bytes)
        }
        return try inner.openForReading(path)
    }
    func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try inner.openForWriting(path)
    }
    func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        try inner.create(path, mode: mode)
    }
    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try inner.rename(path, to: newPath)
    }
    func remove(_ path: String) throws(StorageError) -> Bool { try inner.remove(path) }
    func syncDirectory(_ path: String) throws(StorageError) { try inner.syncDirectory(path) }
    func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        try inner.lock(path, mode: mode, note: note)
    }
    func freeSpace(at path: String) throws(StorageError) -> UInt64 { try inner.freeSpace(at: path) }
}
