package import LogStorage

/// Runs commands: all that the tool does besides taking arguments and giving an exit code.
package struct Inspector {
    private let fileSystem: any FileSystem
    private let output: Output
    private let diagnostics: Output
    private let style: Style
    private let now: Int64
    private let pause: () -> Void

    /// `isRich`: the output may use colour and bars. `now`: the time, in milliseconds since 1970-01-01
    /// UTC. `pause` waits about 20 ms before a fault is looked at a second time.
    package init(
        fileSystem: any FileSystem,
        output: Output,
        diagnostics: Output,
        isRich: Bool,
        now: Int64,
        pause: @escaping () -> Void
    ) {
        self.fileSystem = fileSystem
        self.output = output
        self.diagnostics = diagnostics
        style = Style(isRich: isRich)
        self.now = now
        self.pause = pause
    }

    /// Runs a command, with what cannot be done said on the diagnostics.
    package func run(_ command: Command) -> ExitCode {
        do throws(InspectionError) {
            let code = try execute(command)
            try output.flush()
            try diagnostics.flush()
            return code
        } catch {
            return fail(error)
        }
    }

    /// Says why the arguments make no command.
    package func refuse(_ error: UsageError) -> ExitCode {
        report("\(error)", .usage)
    }

    // MARK: Commands

    private func execute(_ command: Command) throws(InspectionError) -> ExitCode {
        switch command {
        case .help(let topic):
            try output.write(line: CommandLineHelp.text(topic))
            return .sound
        case .version:
            try output.write(line: CommandLineHelp.version)
            return .sound
        case .verify(let store, let json):
            return try verify(store, json: json)
        case .info(let store, let json):
            return try inspect(store) { (verification) throws(InspectionError) in
                let summary = try Summary(verification)
                if json { return try summary.writeJSON(to: output) }
                try summary.writeText(to: output, store: store, now: now, style)
            }
        case .dump(let store, let selection, let form):
            return try inspect(store) { (verification) throws(InspectionError) in
                let dump = Dump(verification: verification, selection: selection, form: form, output: output)
                try dump.run()
            }
        case .get(let store, let id, let moment, let json):
            return try inspect(store) { (verification) throws(InspectionError) in
                let lookup = Lookup(verification: verification, id: id, moment: moment, output: output)
                try lookup.run(json: json)
            }
        case .list(let store, let moment, let values, let json):
            return try inspect(store) { (verification) throws(InspectionError) in
                let reading = try StateReading.read(verification, at: moment)
                let listing = Listing(reading: reading, showsValues: values, output: output)
                if json { try listing.writeJSON() } else { try listing.writeText() }
            }
        case .compact, .repair, .quarantineList, .quarantineShow, .quarantineRestore, .demo:
            preconditionFailure("Commands that need the library are run by others.")
        }
    }

    private func verify(_ store: String, json: Bool) throws(InspectionError) -> ExitCode {
        let verification = try Verification.run(store, fileSystem, pause: pause)
        let report = FaultReport(verification: verification, store: store)
        if json {
            try report.writeJSON(to: output)
        } else {
            try report.writeText(to: output, style)
        }
        return ExitCode(verification.verdict)
    }

    /// Verifies, shows what can be read, reports the damage beside it, and returns the verdict.
    private func inspect(_ store: String, _ show: (Verification) throws(InspectionError) -> Void)
        throws(InspectionError) -> ExitCode
    {
        let verification = try Verification.run(store, fileSystem, pause: pause)
        let report = FaultReport(verification: verification, store: store)
        guard verification.verdict != .newerFormat else {
            try report.writeDiagnostics(to: diagnostics)
            return .newerFormat
        }
        do throws(InspectionError) {
            try show(verification)
        } catch .notFound(let message) {
            try report.writeDiagnostics(to: diagnostics)
            try diagnostics.write(line: "walstore: \(message)")
            // In a damaged store, what was not found may have stood in the damaged bytes.
            return verification.verdict == .corruption ? .corruption : .notFound
        }
        try output.flush()
        try report.writeDiagnostics(to: diagnostics)
        return ExitCode(verification.verdict)
    }

    // MARK: Failures

    private func fail(_ error: InspectionError) -> ExitCode {
        if case .brokenPipe = error { return error.exitCode }
        do throws(InspectionError) {
            // What was found before the failure is of use.
            try output.flush()
        } catch {
            // The failure to be reported came first; this one is the same or follows from it.
        }
        return report("\(error)", error.exitCode)
    }

    private func report(_ message: String, _ code: ExitCode) -> ExitCode {
        do throws(InspectionError) {
            try diagnostics.write(line: "walstore: \(TerminalText.escaped(message))")
            try diagnostics.flush()
        } catch {
            // Nobody reads the diagnostics; the exit code still tells.
        }
        return code
    }
}
