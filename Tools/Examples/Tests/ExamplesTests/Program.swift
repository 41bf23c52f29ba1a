import Foundation

/// The examples' programs, beside the tests.
enum Program {
    static func path(_ name: String) -> URL {
        var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<6 {
            let path = directory.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: path.path) { return path }
            directory.deleteLastPathComponent()
        }
        return directory.appending(path: name)
    }

    /// Runs a program to its end; returns its exit code and what it said.
    static func run(
        _ path: URL,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = path
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try start(process)
        let data = await onThread { output.fileHandleForReading.readDataToEndOfFile() }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private static let starting = NSLock()

    /// Starts processes one at a time: one that is started meanwhile would inherit the socket by which
    /// Foundation learns of the other's end, and keep it open.
    static func start(_ process: Process) throws {
        try starting.withLock { try process.run() }
    }

    static func kill(_ process: Process, _ signal: Int32 = SIGKILL) {
        send(signal, to: process.processIdentifier)
    }

    /// Where a program is that the machine may have, or nil.
    static func find(_ name: String, in more: [String] = []) -> String? {
        let search = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return (more + search).map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

private func send(_ signal: Int32, to pid: Int32) {
    _ = kill(pid, signal)
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// A directory that is removed with all in it.
final class Scratch: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "examples-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("A temporary directory stays behind: \(error)")
        }
    }
}
