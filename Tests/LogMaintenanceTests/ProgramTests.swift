import Foundation
import LogFormat
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

/// The program itself: terminals, pipes and signals.
struct ProgramTests {
    private let directory: TemporaryDirectory
    private let store: String

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path + "/store"
    }

    /// A store of one log of 20 records of a mebibyte each.
    private func makeLargeStore() throws {
        var log = LogBuilder()
        log.header()
        let value = "\"\(String(repeating: "v", count: 1 << 20))\""
        for number in 0..<20 { log.put("id-\(number)", value) }
        try make(log)
    }

    private func make(_ log: LogBuilder) throws {
        try SimulatedDisk.holding(log).save("/store", to: store, of: POSIXFileSystem())
    }

    /// Runs the program on a terminal of its own; returns all that it wrote to that, or nil where none can be
    /// made.
    private func onTerminal(_ arguments: String, _ environment: [String: String] = [:]) async throws
        -> (Int32, String)?
    {
        guard let script = ChildProcess.find("script") else {
            print("SKIPPED tests on a terminal: script is not installed")
            return nil
        }
        let output = directory.path + "/terminal"
        let child = try ChildProcess(
            script,
            ["-qec", "'\(try BuiltProgram.path("walstore"))' \(arguments)", "/dev/null"],
            output: output,
            environment: ["NO_COLOR": ""].merging(environment) { $1 }
        )
        let code = await child.wait()
        return (code, try fileText(output))
    }

    /// Runs it with its output in files.
    private func run(_ arguments: [String]) async throws -> (code: Int32, output: String, errors: String) {
        let (output, errors) = (directory.path + "/output", directory.path + "/errors")
        let program = try BuiltProgram.path("walstore")
        let code = await (try ChildProcess(program, arguments, output: output, errors: errors)).wait()
        return (code, try fileText(output), try fileText(errors))
    }

    // MARK: Terminals

    @Test func colourAndBarsAreForTerminalsThatWantThem() async throws {
        try make(damagedLog())
        guard let (code, text) = try await onTerminal("verify \(store)") else { return }
        #expect(code == 2)
        #expect(text.contains("\u{1B}[31mcorruption\u{1B}[0m"))
        let info = try await onTerminal("info \(store)")?.1 ?? ""
        #expect(info.contains("\u{2588}"))
        let plain = try await onTerminal("verify \(store)", ["NO_COLOR": "1"])?.1 ?? ""
        #expect(plain.contains("corruption") && !plain.contains("\u{1B}"))
        let filed = try await run(["verify", store])
        #expect(filed.output.contains("corruption") && !filed.output.contains("\u{1B}"))
    }

    @Test func progressIsForTerminalsAndTakenAway() async throws {
        try makeLargeStore()
        guard let (code, text) = try await onTerminal("verify \(store)") else { return }
        #expect(code == 0)
        #expect(text.contains("\r\u{1B}[Kwalstore: log-0000000001.jsonl, "))
        // The line is cleared before the result is printed.
        let last = try #require(text.components(separatedBy: "\r\u{1B}[K").last)
        #expect(last.hasPrefix(store))
        let filed = try await run(["verify", store])
        #expect(filed.errors.isEmpty)
    }

    // MARK: Pipes and signals

    @Test(arguments: ["dump", "ls --values", "export", "stats --json", "history --json"])
    func aReaderThatGoesAwayIsSuccess(_ command: String) async throws {
        guard let bash = ChildProcess.find("bash") else {
            print("SKIPPED aReaderThatGoesAwayIsSuccess: bash is not installed")
            return
        }
        var log = LogBuilder()
        log.header()
        for number in 0..<4000 {
            log.put(command.hasPrefix("history") ? "id" : "id-\(number)", "\"\(number)\"")
        }
        try make(log)
        var words = command.split(separator: " ").map(String.init)
        words.insert(store, at: 1)
        if words[0] == "history" { words.insert("id", at: 2) }
        let errors = directory.path + "/errors"
        let line =
            "'\(try BuiltProgram.path("walstore"))' \(words.joined(separator: " ")) 2> \(errors) | head -n 1; exit ${PIPESTATUS[0]}"
        let child = try ChildProcess(bash, ["-c", line], output: directory.path + "/output")
        #expect(await child.wait() == 0)
        #expect(try fileText(errors).isEmpty)
    }

    @Test func controlCEndsTheFollowing() async throws {
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        try make(log)
        let (output, errors) = (directory.path + "/output", directory.path + "/errors")
        let program = try BuiltProgram.path("walstore")
        let child = try ChildProcess(
            program,
            ["tail", "-f", store, "--json"],
            output: output,
            errors: errors
        )
        let end = ContinuousClock.now + .seconds(300)
        while try fileText(output).isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        child.interrupt()
        #expect(await child.wait() == 130)
        #expect(try fileText(output).hasSuffix("\"value\":1}\n"))
        #expect(try fileText(errors) == "walstore: Interrupted.\n")
    }

    @Test func aSecondControlCEndsItAtOnce() async throws {
        var log = LogBuilder()
        log.header()
        try make(log)
        let program = try BuiltProgram.path("walstore")
        let output = directory.path + "/output"
        let child = try ChildProcess(program, ["tail", "-f", store], output: output)
        let end = ContinuousClock.now + .seconds(300)
        while try fileText(output).isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        child.interrupt()
        child.interrupt()
        #expect([130, -SIGINT].contains(await child.wait()))
    }

    // MARK: Shells

    @Test(arguments: ["bash", "zsh", "fish"])
    func theCompletionsAreAScriptOfTheirShell(_ shell: String) async throws {
        guard let path = ChildProcess.find(shell) else {
            print("SKIPPED theCompletionsAreAScriptOfTheirShell: \(shell) is not installed")
            return
        }
        let script = directory.path + "/script"
        try Data(try await run(["completions", shell]).output.utf8).write(to: URL(filePath: script))
        let child = try ChildProcess(path, ["-n", script], output: directory.path + "/output")
        let code = await child.wait()
        let complaint = try fileText(directory.path + "/output")
        #expect(code == 0, "\(complaint)")
    }

    @Test func bashCompletesCommandsOptionsAndValues() async throws {
        guard let bash = ChildProcess.find("bash") else {
            print("SKIPPED bashCompletesCommandsOptionsAndValues: bash is not installed")
            return
        }
        let script = directory.path + "/script"
        try Data(try await run(["completions", "bash"]).output.utf8).write(to: URL(filePath: script))
        for (words, expected) in [
            ("walstore ver", "verify"), ("walstore stats s --by h", "hour"),
            ("walstore ls s --v", "--values"),
            ("walstore quarantine sh", "show"), ("walstore completions f", "fish"),
            ("walstore h", "history help"),
        ] {
            let count = words.split(separator: " ").count
            let line =
                "source \(script); COMP_WORDS=(\(words)); COMP_CWORD=\(count - 1); _walstore; echo ${COMPREPLY[@]}"
            let child = try ChildProcess(bash, ["-c", line], output: directory.path + "/output")
            #expect(await child.wait() == 0)
            #expect(try fileText(directory.path + "/output") == expected + "\n", "\(words)")
        }
    }

    @Test func theManualPageIsOne() async throws {
        guard let groff = ChildProcess.find("groff") else {
            print("SKIPPED theManualPageIsOne: groff is not installed")
            return
        }
        let page = directory.path + "/walstore.1"
        try Data(try await run(["man"]).output.utf8).write(to: URL(filePath: page))
        let errors = directory.path + "/warnings"
        let child = try ChildProcess(
            groff,
            ["-man", "-Tascii", "-ww", page],
            output: directory.path + "/shown",
            errors: errors
        )
        #expect(await child.wait() == 0)
        #expect(try fileText(errors).isEmpty)
        #expect(try fileText(directory.path + "/shown").contains("walstore verify questions.wal"))
    }
}
