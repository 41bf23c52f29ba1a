#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The operating system's own files.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func names(in directory: String) throws(StorageError) -> [String]? {
        var opened = opendir(directory)
        while opened == nil, errno == EINTR { opened = opendir(directory) }
        guard let stream = opened else {
            if errno == ENOENT { return nil }
            throw StorageError(errno: .list, directory)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return names }
                throw StorageError(errno: .list, directory)
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    package func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        if mkdir(path, mode_t(mode.rawValue)) == 0 { return true }
        let code = errno
        if code == EEXIST, try kind(of: path) == .directory { return false }
        throw StorageError(.createDirectory, path, errno: code)
    }

    package func kind(of path: String) throws(StorageError) -> FileKind? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw StorageError(errno: .inspect, path)
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    package func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try POSIXFile(path, flags: O_RDONLY, mode: 0, missing: ENOENT)
    }

    package func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try POSIXFile(path, flags: O_RDWR, mode: 0, missing: ENOENT)
    }

    package func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        let flags = O_RDWR | O_CREAT | O_TRUNC
        guard let file = try POSIXFile(path, flags: flags, mode: mode_t(mode.rawValue), missing: nil) else {
            preconditionFailure("Opening with O_CREAT gives a file or an error.")
        }
        return file
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        // In the module that names it too, the call means the system's.
        guard systemRename(path, newPath) == 0 else { throw StorageError(errno: .rename, path) }
    }

    package func remove(_ path: String) throws(StorageError) -> Bool {
        if unlink(path) == 0 { return true }
        if errno == ENOENT { return false }
        throw StorageError(errno: .remove, path)
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        let flags = O_RDONLY | O_DIRECTORY
        guard let directory = try POSIXFile(path, flags: flags, mode: 0, missing: nil) else {
            preconditionFailure("Opening without a missing code gives a file or an error.")
        }
        guard fullSync(directory.descriptor) == 0 else { throw StorageError(errno: .syncDirectory, path) }
    }

    package func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        while true {
            let flags = O_RDWR | O_CREAT
            guard let file = try POSIXFile(path, flags: flags, mode: mode_t(mode.rawValue), missing: nil)
            else {
                preconditionFailure("Opening with O_CREAT gives a file or an error.")
            }
            while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
                switch errno {
                case EINTR: continue
                case EWOULDBLOCK: return .held(holder: file.firstText())
                default: throw StorageError(errno: .lock, path)
                }
            }
            // Whoever deletes a store deletes its lock file too. A lock on a file that has lost its
            // name protects nothing, so it must be the named file that was locked.
            guard try file.isNamed() else { continue }
            file.replaceText(with: note)
            return .acquired(POSIXLock(file))
        }
    }

    package func freeSpace(at path: String) throws(StorageError) -> UInt64 {
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == EINTR else { throw StorageError(errno: .freeSpace, path) }
        }
        // Some network file systems answer with the largest number they know.
        let (bytes, overflows) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : bytes
    }
}

private func systemRename(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}

/// Makes a file or directory stable; 0, or -1 with `errno`.
///
/// On Apple platforms `fsync` stops at the drive's cache; `F_FULLFSYNC` empties that too. A file system
/// that does not know it (some network ones) has nothing stronger than `fsync` to give. (fcntl(2),
/// fsync(2) of macOS.)
private func fullSync(_ descriptor: Int32) -> Int32 {
    while true {
        #if canImport(Darwin)
            var result = fcntl(descriptor, F_FULLFSYNC)
            if result == -1, errno == ENOTSUP || errno == ENOTTY || errno == EINVAL {
                result = fsync(descriptor)
            }
        #else
            let result = fsync(descriptor)
        #endif
        if result != -1 { return 0 }
        if errno != EINTR { return -1 }
    }
}

/// Makes a file's bytes and length stable; 0, or -1 with `errno`.
private func dataSync(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
        return fullSync(descriptor)
    #else
        while true {
            if fdatasync(descriptor) == 0 { return 0 }
            if errno != EINTR { return -1 }
        }
    #endif
}

#if canImport(Glibc)
    private let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
    private let fileSizeLimit = RLIMIT_FSIZE
#endif

/// A descriptor that is closed with the object.
private final class POSIXFile: StorageFile {
    let descriptor: Int32
    let path: String

    /// Nil when opening fails with `missing`.
    init?(_ path: String, flags: Int32, mode: mode_t, missing: Int32?) throws(StorageError) {
        while true {
            let descriptor = open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 {
                self.descriptor = descriptor
                self.path = path
                return
            }
            if errno == EINTR { continue }
            if errno == missing { return nil }
            throw StorageError(errno: .open, path)
        }
    }

    deinit {
        // All that matters was synced or is of no account; Linux frees the descriptor in every case.
        close(descriptor)
    }

    func length() throws(StorageError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StorageError(errno: .length, path) }
        return UInt64(status.st_size)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw StorageError(errno: .read, path) }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        try checkFileSizeLimit(offset + UInt64(bytes.count))
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            if count > 0 {
                written += count
            } else if count == 0 {
                throw StorageError(.write, path, code: 0, reason: "the system took none of the bytes")
            } else if errno != EINTR {
                throw StorageError(errno: .write, path)
            }
        }
    }

    func truncate(to length: UInt64) throws(StorageError) {
        while ftruncate(descriptor, off_t(length)) != 0 {
            if errno != EINTR { throw StorageError(errno: .truncate, path) }
        }
    }

    func sync() throws(StorageError) {
        guard dataSync(descriptor) == 0 else { throw StorageError(errno: .sync, path) }
    }

    /// A write past the process's file size limit raises SIGXFSZ, which by default kills the process:
    /// a library may neither let that happen nor change the disposition of a signal.
    private func checkFileSizeLimit(_ end: UInt64) throws(StorageError) {
        var limit = rlimit()
        guard getrlimit(fileSizeLimit, &limit) == 0, end > UInt64(limit.rlim_cur) else { return }
        throw StorageError(.write, path, errno: EFBIG)
    }

    // MARK: Lock files

    /// Whether the path still names this file.
    func isNamed() throws(StorageError) -> Bool {
        var here = stat()
        var there = stat()
        guard fstat(descriptor, &here) == 0 else { throw StorageError(errno: .inspect, path) }
        guard stat(path, &there) == 0 else {
            if errno == ENOENT { return false }
            throw StorageError(errno: .inspect, path)
        }
        return here.st_dev == there.st_dev && here.st_ino == there.st_ino
    }

    /// The note in a lock file. It is for people: what cannot be read is left out.
    func firstText() -> String {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
        }
    }

    /// Leaves a note in a lock file. Only the kernel lock counts, so a full disk may leave it empty.
    func replaceText(with note: String) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        var note = note
        note.withUTF8 { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

private final class POSIXLock: HeldLock {
    private let file: POSIXFile

    init(_ file: POSIXFile) {
        self.file = file
    }

    deinit {
        // A child of this process may have inherited the description the lock hangs on; closing our
        // descriptor alone would leave the store locked until that child ends.
        flock(file.descriptor, LOCK_UN)
    }
}

extension StorageError {
    /// The failure that `errno` names at this moment.
    init(errno operation: Operation, _ path: String) {
        self.init(operation, path, errno: errno)
    }

    /// A failure with the system's words for `code`.
    package init(_ operation: Operation, _ path: String, errno code: Int32) {
        self.init(operation, path, code: code, reason: String(cString: strerror(code)))
    }

    static let fullDiskCodes: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]
    static let readOnlyDiskCode = EROFS

    /// Whether the process lacks the right: EPERM or EACCES.
    package var isPermission: Bool { code == EPERM || code == EACCES }
}
