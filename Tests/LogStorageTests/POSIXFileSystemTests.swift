import LogStorage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What only the real file system can show. Serialised: some of it changes what the process makes of modes.
@Suite(.serialized) struct POSIXFileSystemTests {
    private let system = POSIXFileSystem()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var root: String { directory.path }

    private static let isRoot = geteuid() == 0

    @Test func filesAndDirectoriesAreForTheirOwnerAlone() throws {
        let old = umask(0o022)
        defer { umask(old) }
        _ = try system.create("\(root)/f", mode: .privateFile)
        _ = try system.createDirectory("\(root)/d", mode: .privateDirectory)
        _ = try system.lock("\(root)/lock", mode: .privateFile, note: "")
        #expect(try mode("\(root)/f") == 0o600)
        #expect(try mode("\(root)/d") == 0o700)
        #expect(try mode("\(root)/lock") == 0o600)
    }

    /// In a process of its own: the limit binds all that a process writes, the log of the tests too.
    @Test func aWriteBeyondTheFileSizeLimitIsAnErrorAndNotTheEndOfTheProcess() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/f"
            let file = try POSIXFileSystem().create(path, mode: .privateFile)
            try file.write(Array("abc".utf8), at: 0)
            var limit = rlimit()
            #expect(getrlimit(fileSizeLimit, &limit) == 0)
            limit.rlim_cur = 1 << 20
            #expect(setrlimit(fileSizeLimit, &limit) == 0)
            expectError(EFBIG) { try file.write([1, 2], at: (1 << 20) - 1) }
            #expect(try file.length() == 3)
            try file.write([1], at: (1 << 20) - 1)
            #expect(try file.length() == 1 << 20)
        }
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0, "There is no /dev/full here."))
    func aFullDiskIsAnError() throws {
        let file = try #require(try system.openForWriting("/dev/full"))
        #expect(throws: StorageError(.write, "/dev/full", errno: ENOSPC)) { try file.write([1], at: 0) }
        #expect(try system.kind(of: "/dev/full") == .other)
    }

    @Test(.disabled(if: POSIXFileSystemTests.isRoot, "Permissions do not bind the super-user."))
    func missingPermissionIsAnErrorAndNotAMissingFile() throws {
        try system.put("text", at: "\(root)/f")
        _ = try system.createDirectory("\(root)/d", mode: .privateDirectory)
        try system.put("text", at: "\(root)/d/f")
        #expect(chmod("\(root)/f", 0) == 0)
        #expect(chmod("\(root)/d", 0) == 0)
        defer { chmod("\(root)/d", 0o700) }
        expectError(EACCES) { try system.openForReading("\(root)/f") }
        expectError(EACCES) { try system.openForWriting("\(root)/f") }
        expectError(EACCES) { try system.names(in: "\(root)/d") }
        expectError(EACCES) { try system.kind(of: "\(root)/d/f") }
        expectError(EACCES) { try system.openForReading("\(root)/d/f") }
        expectError(EACCES) { try system.create("\(root)/d/g", mode: .privateFile) }
        expectError(EACCES) { try system.remove("\(root)/d/f") }
        expectError(EACCES) { try system.rename("\(root)/d/f", to: "\(root)/d/g") }
    }

    @Test func aPathThatIsTooLongIsAnErrorAndNotAMissingFile() throws {
        let path = root + "/" + String(repeating: "x", count: 300)
        #expect(throws: StorageError(.open, path, errno: ENAMETOOLONG)) { try system.openForReading(path) }
    }

    @Test(
        .enabled(if: LockProbe.isAvailable, "Neither flock nor python3 is here to probe a lock from outside.")
    )
    func anotherProcessSeesTheLock() throws {
        let path = "\(root)/lock"
        #expect(try LockProbe.isFree(path))
        var lock: LockResult? = try system.lock(path, mode: .privateFile, note: "here")
        #expect(try !LockProbe.isFree(path))
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(try LockProbe.isFree(path))
    }

    #if os(Linux)
        @Test func noDescriptorIsLeakedOnAnyPath() throws {
            try system.put("text", at: "\(root)/f")
            let before = try descriptors()
            for _ in 0..<10 {
                _ = try system.openForReading("\(root)/f")?.text()
                expectError(ENOTDIR) { try system.openForReading("\(root)/f/g") }
                expectError(EISDIR) { try system.openForWriting(root) }
                expectError(ENOENT) { try system.create("\(root)/none/f", mode: .privateFile) }
                _ = try system.names(in: root)
                expectError(ENOTDIR) { try system.names(in: "\(root)/f") }
                try system.syncDirectory(root)
                let lock = try system.lock("\(root)/lock", mode: .privateFile, note: "")
                _ = try system.lock("\(root)/lock", mode: .privateFile, note: "")
                withExtendedLifetime(lock) {}
                var replace = try AtomicReplace("f", in: root, of: system, mode: .privateFile)
                try replace.append(Array("text".utf8))
                try replace.sync()
                _ = try replace.publish()
                try AtomicReplace("f", in: root, of: system, mode: .privateFile).abandon()
            }
            #expect(try descriptors() == before)
        }

        /// What the open descriptors of this test's directory stand for; other tests have their own.
        private func descriptors() throws -> [String] {
            try (system.names(in: "/proc/self/fd") ?? []).compactMap { name in
                var target = [CChar](repeating: 0, count: 4096)
                let count = readlink("/proc/self/fd/\(name)", &target, target.count)
                guard count > 0 else { return nil }
                let path = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return path.hasPrefix(root) ? path : nil
            }
        }
    #endif

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o7777
    }
}

#if canImport(Glibc)
    private let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
    private let fileSizeLimit = RLIMIT_FSIZE
#endif
