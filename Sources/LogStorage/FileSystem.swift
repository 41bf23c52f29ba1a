/// All that a store asks of an operating system: the one seam between it and the disk.
///
/// Paths are absolute or relative to the working directory, in the file system's own bytes. A missing
/// file is nil or false where the signature says so; every other failure throws. Nothing here retries
/// a failed sync.
package protocol FileSystem: Sendable {
    /// The names in a directory, in no order, or nil when there is no such directory.
    func names(in directory: String) throws(StorageError) -> [String]?

    /// Makes one directory; true when it was not there before. Its parent must exist.
    func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool

    /// Whether a directory, a file or neither stands at `path`.
    func kind(of path: String) throws(StorageError) -> FileKind?

    /// Opens a file for reading, or returns nil when it is missing.
    func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)?

    /// Opens an existing file for reading and writing, or returns nil when it is missing.
    func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)?

    /// Makes an empty file, in the place of any that has the name, and opens it for reading and writing.
    func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile

    /// Gives a file another name in the same directory, atomically, replacing what has that name.
    ///
    /// The new name is stable only once the directory is synced.
    func rename(_ path: String, to newPath: String) throws(StorageError)

    /// Removes a file; false when it was missing. Stable only once the directory is synced.
    func remove(_ path: String) throws(StorageError) -> Bool

    /// Makes the names in a directory stable. Returns once a power cut can no longer undo them.
    func syncDirectory(_ path: String) throws(StorageError)

    /// Takes the exclusive kernel lock on the file at `path`, making the file when it is missing.
    ///
    /// Does not wait. The lock is advisory and falls with the process, however that ends. `note` is
    /// left in the file for people; it has no meaning.
    func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult

    /// The bytes that an unprivileged process can still write to the file system of `path`.
    func freeSpace(at path: String) throws(StorageError) -> UInt64
}

/// An open file. It stays open as long as someone holds it: the last reference closes it.
///
/// So no thread can find the descriptor reused under it, and nothing is leaked on any path.
package protocol StorageFile: AnyObject, Sendable {
    /// The length in bytes.
    func length() throws(StorageError) -> UInt64

    /// Reads at `offset`: at least one byte, fewer than `buffer` holds if the file ends, 0 at its end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

    /// Writes all of `bytes` at `offset`, extending the file as needed.
    ///
    /// On failure any part of the range may have been written; nothing outside it is changed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError)

    /// Cuts the file to `length` bytes, or extends it with NULs.
    func truncate(to length: UInt64) throws(StorageError)

    /// Makes the file's bytes and length stable: `fdatasync`, on Apple platforms `F_FULLFSYNC`.
    ///
    /// After a failure nothing is known about the bytes written since the last success, and a second
    /// call that succeeds proves nothing: the kernel may have dropped the pages and called them clean.
    func sync() throws(StorageError)
}

package enum FileKind: Sendable {
    case file
    case directory
    case other
}

/// Permission bits, as in `chmod`.
package struct FileMode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 0600: read and write for the owner alone.
    package static let privateFile = FileMode(rawValue: 0o600)
    /// 0700: all for the owner alone.
    package static let privateDirectory = FileMode(rawValue: 0o700)
}

package enum LockResult: Sendable {
    /// Held until the last reference is dropped.
    case acquired(any HeldLock)
    /// Someone else holds it; `holder` is the note that was left in the file, perhaps empty.
    case held(holder: String)
}

package protocol HeldLock: AnyObject, Sendable {}
