import LogEngine
package import LogInspection
package import LogStorage

/// Runs the commands that need the store's own engine: those that write, and the quarantine.
package struct Maintainer {
    /// What the commands use besides files.
    package struct Surroundings {
        /// Milliseconds since 1970-01-01 UTC.
        package var now: @Sendable () -> Int64
        /// Who this process is, for the lock file.
        package var holder: String
        /// A new UUID in lower case.
        package var newStore: () -> String
        /// The path of what stands at a path, without links and relative parts; nil when nothing does.
        package var realPath: (String) -> String?
        /// Shows a line in the place of the one before, or is nil when nobody would see it.
        package var progress: (@Sendable (String) -> Void)?
        /// Follows long work that can be interrupted.
        package var watch: LogInspection.ReadingWatch
        /// Waits about 20 ms before a fault is looked at a second time.
        package var pause: () -> Void

        package init(
            now: @escaping @Sendable () -> Int64,
            holder: String,
            newStore: @escaping () -> String,
            realPath: @escaping (String) -> String?,
            progress: (@Sendable (String) -> Void)?,
            watch: LogInspection.ReadingWatch = .none,
            pause: @escaping () -> Void
        ) {
            self.now = now
            self.holder = holder
            self.newStore = newStore
            self.realPath = realPath
            self.progress = progress
            self.watch = watch
            self.pause = pause
        }
    }

    let fileSystem: any FileSystem
    let output: Output
    let diagnostics: Output
    let surroundings: Surroundings

    package init(
        fileSystem: any FileSystem,
        output: Output,
        diagnostics: Output,
        surroundings: Surroundings
    ) {
        self.fileSystem = fileSystem
        self.output = output
        self.diagnostics = diagnostics
        self.surroundings = surroundings
    }

    /// Runs a command, with what cannot be done said on the diagnostics; nil when it is none of these.
    package func run(_ command: Command) -> ExitCode? {
        do throws(MaintenanceError) {
            guard let code = try execute(command) else { return nil }
            surroundings.watch.clear()
            try inspection { () throws(InspectionError) in
                try output.flush()
                try diagnostics.flush()
            }
            return code
        } catch {
            return fail(error)
        }
    }

    private func execute(_ command: Command) throws(MaintenanceError) -> ExitCode? {
        switch command {
        case .compact(let store, let json):
            try Compaction(self, store).run(json: json)
        case .repair(let store, let out, let dryRun, let json):
            try Repair(self, store, out).run(dryRun: dryRun, json: json)
        case .import(let store, let file, let key, let json):
            try Import(self, store).run(file, key: key, json: json)
        case .report(let store, let html, let id, let json):
            return try ReportFile(self, store, html).run(id, json: json)
        case .redact(let store, let out, let json):
            try Redaction(self, store, out).run(json: json)
        case .quarantineList(let store, let json):
            try QuarantineListing(self, store).run(json: json)
        case .quarantineShow(let store, let name, let form):
            try QuarantineDisplay(self, store, name).run(form)
        case .quarantineRestore(let store, let name, let overwrite, let dryRun, let json):
            try Restoration(self, store, name, overwrites: overwrite).run(dryRun: dryRun, json: json)
        case .help, .version, .completions, .manual, .info, .verify, .dump, .get, .list, .history, .tail,
            .statistics, .difference, .export, .demo:
            return nil
        }
        return .sound
    }

    // MARK: Printing

    func print(_ line: String) throws(MaintenanceError) {
        try inspection { () throws(InspectionError) in try output.write(line: line) }
    }

    func print(_ line: consuming JSONLine) throws(MaintenanceError) {
        let bytes = line.finish()
        try inspection { () throws(InspectionError) in try output.write(bytes) }
    }

    /// Says on the diagnostics what the person did not ask for and should know.
    func remark(_ sentence: String) throws(MaintenanceError) {
        try inspection { () throws(InspectionError) in
            try diagnostics.write(line: "walstore: \(TerminalText.escaped(sentence))")
        }
    }

    private func fail(_ error: MaintenanceError) -> ExitCode {
        surroundings.watch.clear()
        // A reader of the output that has gone away is success.
        if error.code == .sound { return .sound }
        do throws(InspectionError) {
            // What was found before the failure is of use.
            try output.flush()
        } catch {
            // The failure to be reported came first; this one is the same or follows from it.
        }
        do throws(InspectionError) {
            try diagnostics.write(line: "walstore: \(TerminalText.escaped(error.message))")
            try diagnostics.flush()
        } catch {
            // Nobody reads the diagnostics; the exit code still tells.
        }
        return error.code
    }
}
