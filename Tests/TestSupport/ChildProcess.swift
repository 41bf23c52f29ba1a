import Foundation
import LogStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that was started, with its output in a file so that its death loses none of it.
package final class ChildProcess: Sendable {
    package let pid: Int32

    /// Starts a program; standard output goes to the file or terminal `output`, standard error after it
    /// unless `errors` names another one. `environment` goes before this process's own.
    ///
    /// - Throws: `StorageError` when it cannot be started.
    package init(
        _ path: String,
        _ arguments: [String],
        output: String,
        errors: String? = nil,
        environment more: [String: String] = [:]
    ) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // The threads that tests run on block signals, and a child would inherit that.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        var environment = ProcessInfo.processInfo.environment
        // A child that dies on purpose would be looked at by the backtracer for minutes.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment.merge(more) { $1 }
        var pid: pid_t = 0
        let code = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw StorageError(.open, path, errno: code) }
        self.pid = pid
    }

    /// Ends it with SIGKILL. It still has to be waited for.
    package func kill() {
        _ = systemKill(pid, SIGKILL)
    }

    /// Asks it to stop, as Control-C does.
    package func interrupt() {
        _ = systemKill(pid, SIGINT)
    }

    /// Waits for its end on a thread that may block; returns its exit code, or minus the signal.
    package func wait() async -> Int32 {
        await onOwnThread { self.reap() }
    }

    /// Kills it after so long, counted from when its output begins with `word` if one is given, and waits for its
    /// end; returns its exit code, or minus the signal. An error that it says ends the waiting for the word.
    ///
    /// On a thread of its own, or the child would go on for as long as a task may have to wait for one.
    package func kill(after delay: Duration, onceSaid word: String?, in output: String) async throws -> Int32
    {
        let result = await onOwnThread {
            Result {
                if let word { _ = try Self.waitUntilSaid(word, in: output) }
                BlockingPause.wait(delay)
                self.kill()
                return self.reap()
            }
        }
        return try result.get()
    }

    /// Returns once a program's output begins with `word`, or false when it says an error instead or nothing for five
    /// minutes.
    package static func hasSaid(_ word: String, in output: String) async throws -> Bool {
        try await onOwnThread { Result { try waitUntilSaid(word, in: output) } }.get()
    }

    private static func waitUntilSaid(_ word: String, in output: String) throws -> Bool {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            let text = try fileText(output)
            if text.hasPrefix(word) { return true }
            if text.hasPrefix("error") { return false }
            BlockingPause.wait(.milliseconds(1))
        }
        return false
    }

    private func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// The program with that name that the search path leads to, or nil.
    package static func find(_ name: String) -> String? {
        let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return search.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

private func systemKill(_ pid: pid_t, _ signal: Int32) -> Int32 {
    kill(pid, signal)
}

/// The text of a file; empty when it is missing.
package func fileText(_ path: String) throws -> String {
    guard let file = try POSIXFileSystem().openForReading(path) else { return "" }
    return String(decoding: try file.bytes(in: 0..<file.length(), path: path), as: UTF8.self)
}
