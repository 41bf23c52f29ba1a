import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program that the tests kill.
enum CrashLab {
    /// Where the build put it: beside the test bundle, or in a directory above that.
    static func path() throws -> String {
        var starts = CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        #if os(Linux)
            starts.append(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath())
        #endif
        for start in starts {
            var directory = start.deletingLastPathComponent()
            for _ in 0..<6 {
                let path = directory.appending(path: "crashlab").path
                if isProgram(path) { return path }
                directory.deleteLastPathComponent()
            }
        }
        Issue.record("The program crashlab is not beside \(starts). Build it with \"swift build\".")
        throw CancellationError()
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    static func writer(_ arguments: [String], output: String) throws -> ChildProcess {
        try ChildProcess(try path(), ["writer"] + arguments, output: output)
    }

    /// Returns once the writer has said that its store is open, or false when it says that it failed or
    /// says nothing for two minutes.
    static func waitUntilOpen(_ output: String) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            // Looked at before the clock: this task itself may have waited long for a thread.
            let text = try fileText(output)
            if text.hasPrefix("open") { return true }
            if text.hasPrefix("error") || ContinuousClock.now > end { return false }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
