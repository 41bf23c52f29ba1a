package import LogFormat
package import LogStorage

/// A store opened without its item type, for tools: the same recovery, appending and compaction as the
/// product's, on the caller's thread.
package final class UntypedStore {
    package let directory: StoreDirectory
    /// What opening found.
    package let plan: StorePlan
    package let outcome: RecoveryEffects.Outcome
    private let fileMode: FileMode
    private let lock: any HeldLock
    private var appender: LogAppender
    private var files: StoreFiles
    private let now: @Sendable () -> Int64

    /// Opens a store that exists; recovers it as any opening does.
    ///
    /// - Throws: `.filesMissing` when there is none, `.inUse`, `.corruption`, `.newerFormat`, `.io`.
    package init(
        _ directory: StoreDirectory,
        note: String,
        fileMode: FileMode = .privateFile,
        directoryMode: FileMode = .privateDirectory,
        now: @escaping @Sendable () -> Int64
    ) throws(EngineError) {
        guard let listing = try directory.listing(), listing.hasStore else {
            throw EngineError(.filesMissing, "\(directory.path) holds no store.")
        }
        let path = directory.path(of: StoreDirectory.lockName)
        let result = try io { () throws(StorageError) in
            try directory.fileSystem.lock(path, mode: fileMode, note: note)
        }
        switch result {
        case .acquired(let lock): self.lock = lock
        case .held(let holder):
            let holder = holder.isEmpty ? "someone who left no note" : String(holder.prefix { $0 != "\n" })
            throw EngineError(.inUse, "\(directory.path) is in use by \(holder).")
        }
        guard case .store(let plan) = try Recovery.plan(directory) else {
            throw EngineError(
                .filesMissing,
                "\(directory.path) is an import that was cut short; open it with its program."
            )
        }
        let effects = RecoveryEffects(
            directory,
            fileMode: fileMode,
            directoryMode: directoryMode,
            time: now()
        )
        let outcome = try effects.perform(plan)
        self.directory = directory
        self.plan = plan
        self.outcome = outcome
        self.fileMode = fileMode
        self.now = now
        files = StoreFiles(plan, rebuilt: outcome.rebuilt)
        appender = LogAppender(plan, outcome.log, directory, largestRecord: LogScanner.longestLine, now: now)
    }

    /// The number of the last record.
    package var lastSequenceNumber: SequenceNumber { appender.written.sequenceNumber }

    /// Appends one batch and makes it stable.
    package func append(_ mutations: [EncodedMutation]) throws(EngineError) {
        _ = try appender.append(mutations)
        try sync()
    }

    /// Merges everything into a new snapshot; false when nothing has changed since the last one.
    package func compact(
        retention generations: Int = 1,
        keepingDeletesSince wanted: SequenceNumber? = nil,
        progress: Compactor.Progress = Compactor.Progress()
    ) throws(EngineError) -> Bool {
        if appender.hasRecords { try rotate() }
        guard !files.earlierLogs.isEmpty else { return false }
        let replaced = files.baseGeneration
        let header = files.snapshotHeader(
            keepingDeletesSince: wanted ?? files.firstSequenceNumber,
            time: appender.time
        )
        let compactor = Compactor(directory, mode: fileMode, progress: progress)
        files.didCompact(into: try compactor.merge(files.sources, into: header), header)
        guard let listing = try directory.listing() else { return true }
        let lowest = Retention.lowest(in: listing, keeping: generations)
        try Retention.remove(below: min(lowest, replaced), from: directory)
        return true
    }

    /// Marks the log as closed. The store is given up with the last reference.
    package func close() throws(EngineError) {
        if appender.hasUnsynced { try sync() }
        if try appender.appendMark() { try sync() }
    }

    private func sync() throws(EngineError) {
        let point = appender.syncPoint
        do throws(StorageError) {
            try appender.file?.sync()
        } catch {
            appender.syncFailed(error, cutBack: true)
            throw EngineError(
                .outcomeUnknown,
                "A sync of \(directory.path) failed: \(error.reason).",
                cause: error
            )
        }
        appender.didSync(point)
    }

    private func rotate() throws(EngineError) {
        guard appender.written.sequenceNumber < .highest else {
            throw EngineError(
                .numbersExhausted,
                "\(directory.path) has used up the sequence numbers of its format; no log can follow this one."
            )
        }
        if appender.hasUnsynced { try sync() }
        let header = files.nextHeader(after: appender.written.sequenceNumber, time: appender.time)
        let file: any StorageFile
        do throws(Rotation.Failure) {
            file = try Rotation.begin(header, in: directory, mode: fileMode)
        } catch {
            switch error {
            case .notBegun(let error), .unknown(let error): throw error
            }
        }
        let end = appender.written
        let path = directory.path(of: StoreDirectory.logName(header.generation))
        try appender.rotate(to: file, path: path, header)
        files.didRotate(to: header, endOfLast: end)
    }
}
