import TestSupport

/// One life of a writing process: how it writes, and how it ends.
package struct WriterRun: CustomStringConvertible, Sendable {
    package enum End: Sendable {
        /// Killed after so many microseconds, from its start or once its store is open.
        case kill(afterMicroseconds: Int, whenOpen: Bool)
        /// A system call of it fails or kills it, as `strace` does that.
        case systemCall(SystemCallFault)
    }

    package var directory: String
    package var seed: UInt64
    package var isSynced = true
    package var tasks = 1
    /// Calls of each task before it closes; nil for no end.
    package var calls: Int?
    /// The bytes of log at which it compacts; nil for the library's own choice.
    package var compactAt: Int?
    package var end: End

    package init(directory: String, seed: UInt64, end: End) {
        self.directory = directory
        self.seed = seed
        self.end = end
    }

    package var description: String {
        let mode = isSynced ? "synced" : "written"
        let compacting = compactAt.map { ", compacting at \($0)" } ?? ""
        return "seed \(seed), \(tasks) tasks, \(mode)\(compacting), \(end)"
    }

    private var arguments: [String] {
        [
            "writer", directory, "\(seed)", "--durability", isSynced ? "synced" : "written", "--tasks",
            "\(tasks)",
        ]
            + (calls.map { ["--calls", "\($0)"] } ?? [])
            + (compactAt.map { ["--compact-at", "\($0)"] } ?? [])
    }

    package struct Outcome: Sendable {
        package var report: WriterReport
        /// The exit code, or minus the signal.
        package var code: Int32
        /// Whether the system call was reached.
        package var isInjected = false
    }

    /// Runs the program `crashlab` until it has ended and is reaped; `scratch` is a directory for what it
    /// says, which must not be on the disk that is tried.
    package func run(_ crashlab: String, scratch: String) async throws -> Outcome {
        let output = "\(scratch)/output"
        switch end {
        case .kill(let delay, let whenOpen):
            let child = try ChildProcess(crashlab, arguments, output: output)
            let code = try await child.kill(
                after: .microseconds(delay),
                onceSaid: whenOpen ? "open" : nil,
                in: output
            )
            return Outcome(report: WriterReport(try fileText(output)), code: code)
        case .systemCall(let fault):
            guard let strace = ChildProcess.find("strace") else { throw Unavailable("strace is missing") }
            let trace = "\(scratch)/trace"
            let errors = "\(scratch)/errors"
            // Not with --seccomp-bpf: strace 6.1 then gives a signal at the first call or never.
            let child = try ChildProcess(
                strace,
                ["-f", "-qq", "-o", trace] + fault.options(directory) + [crashlab]
                    + arguments,
                output: output,
                errors: errors
            )
            let code = await child.wait()
            let said = try fileText(errors)
            guard said.isEmpty else { throw Unavailable("strace said: \(said)") }
            return Outcome(
                report: WriterReport(try fileText(output)),
                code: code,
                isInjected: try code == -9 || fileText(trace).contains("(INJECTED)")
            )
        }
    }
}

/// What a layer needs and this machine does not have.
package struct Unavailable: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
