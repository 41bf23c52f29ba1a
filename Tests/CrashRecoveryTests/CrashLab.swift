import Foundation
import TestSupport
import Testing

/// The program that the tests kill.
enum CrashLab {
    static func writer(_ arguments: [String], output: String) throws -> ChildProcess {
        try ChildProcess(try BuiltProgram.path("crashlab"), ["writer"] + arguments, output: output)
    }

    /// Returns once the writer has said that its store is open, or false when it says that it failed or
    /// says nothing for two minutes.
    static func waitUntilOpen(_ output: String) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(300)
        while true {
            // Looked at before the clock: this task itself may have waited long for a thread.
            let text = try fileText(output)
            if text.hasPrefix("open") { return true }
            if text.hasPrefix("error") || ContinuousClock.now > end { return false }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
