import LogFormat
import LogInspection
import LogStorage
import Synchronization

/// Runs the tool in this process.
struct Tool {
    var fileSystem: any FileSystem = POSIXFileSystem()
    var isRich = false
    var now: Int64 = 1_796_000_060_000
    var pause: () -> Void = {}
    var watch = ReadingWatch.none

    struct Result {
        var code: Int32
        var output: String
        var diagnostics: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    func callAsFunction(_ arguments: String...) -> Result {
        run(arguments)
    }

    func run(_ arguments: [String]) -> Result {
        let output = Collected()
        let diagnostics = Collected()
        let inspector = Inspector(
            fileSystem: fileSystem,
            output: Output { output.take($0) },
            diagnostics: Output { diagnostics.take($0) },
            isRich: isRich,
            now: now,
            watch: watch,
            pause: pause
        )
        let code: ExitCode
        do throws(UsageError) {
            code = inspector.run(try CommandParser.parse(arguments))
        } catch {
            code = inspector.refuse(error)
        }
        return Result(code: code.rawValue, output: output.text, diagnostics: diagnostics.text)
    }
}

/// What was written to a stream.
final class Collected: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func take(_ more: UnsafeRawBufferPointer) -> Result<Bool, StorageError> {
        bytes.withLock { $0 += more }
        return .success(true)
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

/// A store's files in memory; a test changes them between two looks.
final class MemoryFileSystem: FileSystem {
    private let files: Mutex<[String: [UInt8]]>
    private let extraNames: [String: [String]]

    /// `files` by path; `directories` are further ones with the names in them.
    init(_ files: [String: [UInt8]], directories: [String: [String]] = [:]) {
        self.files = Mutex(files)
        extraNames = directories
    }

    func set(_ path: String, _ bytes: [UInt8]?) {
        files.withLock { $0[path] = bytes }
    }

    func names(in directory: String) throws(StorageError) -> [String]? {
        let names = files.withLock { files in
            files.keys.filter { $0.hasPrefix(directory + "/") }.map {
                String($0.dropFirst(directory.count + 1))
            }
        }
        let all = names.filter { !$0.contains("/") } + (extraNames[directory] ?? [])
        return all.isEmpty && extraNames[directory] == nil ? nil : all
    }

    func kind(of path: String) throws(StorageError) -> FileKind? {
        if files.withLock({ $0[path] != nil }) { return .file }
        return try names(in: path) == nil ? nil : .directory
    }

    func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        files.withLock { $0[path].map { MemoryFile($0) } }
    }

    // The inspector only reads.

    func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool { throw refusal(path) }
    func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? { throw refusal(path) }
    func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        throw refusal(path)
    }
    func rename(_ path: String, to newPath: String) throws(StorageError) { throw refusal(path) }
    func remove(_ path: String) throws(StorageError) -> Bool { throw refusal(path) }
    func syncDirectory(_ path: String) throws(StorageError) { throw refusal(path) }
    func freeSpace(at path: String) throws(StorageError) -> UInt64 { throw refusal(path) }
    func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        throw refusal(path)
    }

    private func refusal(_ path: String) -> StorageError {
        StorageError(.write, path, code: 30, reason: "the test allows no writing")
    }
}

private final class MemoryFile: StorageFile {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func length() throws(StorageError) -> UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        let rest = bytes[min(Int(offset), bytes.count)...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) { throw refusal }
    func truncate(to length: UInt64) throws(StorageError) { throw refusal }
    func sync() throws(StorageError) { throw refusal }

    private var refusal: StorageError {
        StorageError(.write, "memory", code: 30, reason: "the test allows no writing")
    }
}
