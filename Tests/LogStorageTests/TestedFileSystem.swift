import LogStorage
import TestSupport
import Testing

/// The file systems that the contract binds.
enum TestedFileSystem: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case posix
    case simulated

    var testDescription: String { rawValue }

    /// Runs `body` with a new file system of the kind and an empty directory on it.
    func run(_ body: (any FileSystem, String) throws -> Void) throws {
        switch self {
        case .posix:
            let directory = try TemporaryDirectory()
            try body(POSIXFileSystem(), directory.path)
            withExtendedLifetime(directory) {}
        case .simulated:
            let disk = SimulatedDisk()
            disk.addDirectory("/store")
            try body(disk, "/store")
            #expect(disk.openFileCount == 0)
            #expect(disk.heldLockCount == 0)
        }
    }
}

extension FileSystem {
    /// Makes a file with these bytes.
    func put(_ text: String, at path: String) throws {
        try create(path, mode: .privateFile).write(Array(text.utf8), at: 0)
    }

    /// The whole of a file, or nil when it is missing.
    func text(at path: String) throws -> String? {
        try openForReading(path)?.text()
    }
}

extension StorageFile {
    func text() throws -> String {
        String(decoding: try bytes(in: 0..<length(), path: "the file"), as: UTF8.self)
    }

    /// What one call of `read` gives for a buffer of that size.
    func oneRead(at offset: UInt64, count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0xEE, count: count)
        let done = try buffer.withUnsafeMutableBytes { try read(at: offset, into: $0) }
        return Array(buffer[..<done])
    }
}

/// Expects that `body` throws a `StorageError` with this code.
func expectError<Result>(
    _ code: Int32,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) {
    do {
        let result = try body()
        Issue.record("No error \(code), but \(result).", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StorageError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}

extension SimulatedDisk {
    /// A disk with a directory `/d` and a file `/d/f` that holds these bytes, all stable.
    convenience init(file text: String) {
        self.init()
        setContents("/d/f", Array(text.utf8))
    }

    /// The file, open for writing.
    func writable(_ path: String) throws -> any StorageFile {
        try #require(try openForWriting(path))
    }

    /// The visible bytes as text.
    func text(_ path: String) -> String? {
        contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
