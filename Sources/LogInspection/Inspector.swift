package import LogStorage

/// Runs commands: all that the tool does besides taking arguments and giving an exit code.
package struct Inspector {
    private let fileSystem: any FileSystem
    private let output: Output
    private let diagnostics: Output
    private let style: Style
    private let now: Int64
    private let watch: ReadingWatch
    private let pause: () -> Void

    /// `isRich`: the output may use colour and bars. `now`: the time, in milliseconds since 1970-01-01
    /// UTC. `watch` follows long readings. `pause` waits about 20 ms before something is looked at a second
    /// time.
    package init(
        fileSystem: any FileSystem,
        output: Output,
        diagnostics: Output,
        isRich: Bool,
        now: Int64,
        watch: ReadingWatch = .none,
        pause: @escaping () -> Void
    ) {
        self.fileSystem = fileSystem
        self.output = output
        self.diagnostics = diagnostics
        style = Style(isRich: isRich)
        self.now = now
        self.watch = watch
        self.pause = pause
    }

    /// Runs a command, with what cannot be done said on the diagnostics.
    package func run(_ command: Command) -> ExitCode {
        do throws(InspectionError) {
            let code = try execute(command)
            watch.clear()
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
        case .completions(let shell):
            try output.write(line: Completions.script(shell))
            return .sound
        case .manual:
            try output.write(line: ManPage.text)
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
                let printer = RecordPrinter(form: form, output: output)
                try Dump(verification: verification, selection: selection, printer: printer).run()
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
        case .history(let store, let id, let json):
            return try inspect(store) { (verification) throws(InspectionError) in
                try History(verification: verification, id: id, output: output).run(json: json)
            }
        case .tail(let store, let count, let follows, let form):
            return try tail(store, count, follows: follows, form)
        case .difference(let sides, let json):
            return try compare(sides, json: json)
        case .export(let store, let moment, let format):
            return try inspect(store) { (verification) throws(InspectionError) in
                let reading = try StateReading.read(verification, at: moment)
                try Export(reading: reading, output: output, watch: watch).run(format)
            }
        case .statistics(let store, let key, let top, let json):
            return try inspect(store) { (verification) throws(InspectionError) in
                let statistics = try Statistics(verification, by: key)
                let report = StatisticsReport(statistics: statistics, key: key, limit: top, output: output)
                if json { try report.writeJSON() } else { try report.writeText(style) }
            }
        case .compact, .import, .report, .redact, .repair, .quarantineList, .quarantineShow,
            .quarantineRestore, .demo:
            preconditionFailure("Commands that need the library are run by others.")
        }
    }

    private func verify(_ store: String, json: Bool) throws(InspectionError) -> ExitCode {
        let verification = try Verification.besideAWriter(store, fileSystem, watch: watch, pause: pause)
        let report = FaultReport(verification: verification, store: store)
        if json {
            try report.writeJSON(to: output)
        } else {
            try report.writeText(to: output, style)
        }
        return ExitCode(verification.verdict)
    }

    private func compare(_ sides: DifferenceSides, json: Bool) throws(InspectionError) -> ExitCode {
        var worst = ExitCode.sound
        let code = try inspect(sides.left) { (first) throws(InspectionError) in
            let left = try StateReading.read(first, at: sides.from)
            func compare(_ second: Verification) throws(InspectionError) {
                let table = LiveTable(besides: left.live)
                let right = try StateReading.read(second, at: sides.to, into: table)
                let difference = Difference(left, right, isSameStore: sides.right == nil, output: output)
                try difference.run(json: json)
            }
            if let right = sides.right {
                worst = try inspect(right, compare)
            } else {
                try compare(first)
            }
        }
        return worst.rawValue > code.rawValue ? worst : code
    }

    private func tail(_ store: String, _ count: Int, follows: Bool, _ form: RecordForm)
        throws(InspectionError) -> ExitCode
    {
        var last: Verification?
        let tail = Tail(printer: RecordPrinter(form: form, output: output), diagnostics: diagnostics)
        let code = try inspect(store) { (verification) throws(InspectionError) in
            if form == .table { try tail.printer.writeHeading() }
            try tail.writeLast(count, of: verification)
            last = verification
        }
        guard follows, let last else { return code }
        watch.clear()
        try diagnostics.flush()
        try tail.follow(store, behind: last, fileSystem, watch, pause: pause)
        return code
    }

    /// Verifies, shows what can be read, reports the damage beside it, and returns the verdict.
    private func inspect(_ store: String, _ show: (Verification) throws(InspectionError) -> Void)
        throws(InspectionError) -> ExitCode
    {
        let verification = try Verification.besideAWriter(store, fileSystem, watch: watch, pause: pause)
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
        watch.clear()
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
