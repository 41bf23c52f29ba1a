import Foundation
import LogFormat
import LogInspection
import LogMaintenance
import LogStorage
import Synchronization
import TestSupport

/// Runs the tool in this process, as its main file does.
struct Tool {
    static let newStore = "00000000-0000-4000-8000-000000000000"

    var fileSystem: any FileSystem = POSIXFileSystem()
    var realPath: (String) -> String? = { StandardStreams.realPath($0) }
    var progress: (@Sendable (String) -> Void)?
    var watch = ReadingWatch.none
    var pause: () -> Void = {}
    var now: Int64 = 1_796_000_060_000

    /// On a disk in memory, where every path is its own.
    static func on(_ disk: any FileSystem) -> Tool {
        Tool(fileSystem: disk, realPath: { $0 })
    }

    struct Result {
        var code: Int32
        var output: String
        var diagnostics: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The objects in JSON Lines.
        func objects() throws -> [[String: Any]] {
            try lines.map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return object as? [String: Any] ?? [:]
            }
        }

        /// The last of them, and those before of a type.
        func summary() throws -> [String: Any] { try objects().last ?? [:] }
        func objects(_ type: String) throws -> [[String: Any]] {
            try objects().filter { $0["type"] as? String == type }
        }
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
            isRich: false,
            now: now,
            watch: watch,
            pause: pause
        )
        let maintainer = Maintainer(
            fileSystem: fileSystem,
            output: Output { output.take($0) },
            diagnostics: Output { diagnostics.take($0) },
            surroundings: surroundings
        )
        let code: ExitCode
        do throws(UsageError) {
            let command = try CommandParser.parse(arguments)
            code = maintainer.run(command) ?? inspector.run(command)
        } catch {
            code = inspector.refuse(error)
        }
        return Result(code: code.rawValue, output: output.text, diagnostics: diagnostics.text)
    }

    var surroundings: Maintainer.Surroundings {
        let now = now
        return Maintainer.Surroundings(
            now: { now },
            holder: "the test",
            newStore: { Self.newStore },
            realPath: realPath,
            progress: progress,
            watch: watch,
            pause: pause
        )
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

/// Counts its calls.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
