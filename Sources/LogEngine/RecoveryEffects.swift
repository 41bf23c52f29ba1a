import LogFormat
package import LogStorage

/// Carries a plan out: keeps what is cut, cuts it, and makes stable what will be served.
package struct RecoveryEffects {
    package struct Outcome: Sendable {
        /// The highest log, open for appending at its end.
        package var log: any StorageFile
        package var quarantined: [QuarantinedBytes]
        /// The snapshot that was made anew in the place of a damaged one.
        package var rebuilt: StorePlan.File?
    }

    private let directory: StoreDirectory
    private let quarantine: Quarantine
    private let fileMode: FileMode
    private let time: Int64

    /// `time` in milliseconds since 1970-01-01 UTC goes into the notes.
    package init(_ directory: StoreDirectory, fileMode: FileMode, directoryMode: FileMode, time: Int64) {
        self.directory = directory
        self.fileMode = fileMode
        self.time = time
        quarantine = Quarantine(directory: directory, fileMode: fileMode, directoryMode: directoryMode)
    }

    /// Removes unfinished files. Nothing refers to them.
    package func removeTemporaries() throws(EngineError) {
        guard let listing = try directory.listing() else { return }
        for name in listing.temporaries {
            try io { () throws(StorageError) in
                _ = try directory.fileSystem.remove(directory.path(of: name))
            }
        }
    }

    /// A failure leaves a store that opens to the same state.
    package func perform(_ plan: StorePlan) throws(EngineError) -> Outcome {
        try removeTemporaries()
        var quarantined: [QuarantinedBytes] = []
        var rebuilt: StorePlan.File?
        if let rebuild = plan.rebuild {
            quarantined.append(try keepDamaged(rebuild))
            rebuilt = try makeSnapshot(rebuild, plan)
        }
        let log = plan.highestLog
        if let cut = plan.cut, !cut.isBlank {
            quarantined.append(try quarantine.keep(cut.range, of: log.name, reason: cut.reason, time: time))
        }
        let file = try stableLog(plan)
        return Outcome(log: file, quarantined: quarantined, rebuilt: rebuilt)
    }

    /// The highest log as it will be served: its bytes and its name stable, nothing behind them.
    private func stableLog(_ plan: StorePlan) throws(EngineError) -> any StorageFile {
        let log = plan.highestLog
        if plan.needsRewrite { return try rewritten(log) }
        guard log.length <= Self.alwaysRewritten else { return try closed(log) }
        do throws(EngineError) {
            return try rewritten(log)
        } catch  where error.cause?.isFullDisk == true && error.cause?.operation == .write {
            // A store that was closed opens on a full disk too. Nothing but the copy was touched, and it may
            // still be there.
            try removeTemporaries()
            return try closed(log)
        }
    }

    /// In bytes: a closed log of at most this length is written anew although its mark allows to sync it
    /// alone. That costs next to nothing, and covers a mark whose sync failed in an earlier life that
    /// could not cut it back.
    private static let alwaysRewritten: UInt64 = 1 << 20

    /// A log that ends in a mark, as it will be served: nothing behind the mark, and all of it stable.
    ///
    /// All before the mark was synced before the mark was written. The process that wrote the mark may
    /// have died before the mark's own sync.
    private func closed(_ log: StorePlan.File) throws(EngineError) -> any StorageFile {
        let path = directory.path(of: log.name)
        return try io { () throws(StorageError) in
            guard let file = try directory.fileSystem.openForWriting(path) else {
                throw StorageError.vanished(path)
            }
            if try file.length() > log.length { try file.truncate(to: log.length) }
            try file.sync()
            try directory.fileSystem.syncDirectory(directory.path)
            return file
        }
    }

    /// Writes the kept bytes anew and puts them in the place of the log.
    ///
    /// A sync that failed in an earlier life may have left pages that look clean and never reached the
    /// disk; a second sync of the same pages would prove nothing. Fresh pages prove it.
    private func rewritten(_ log: StorePlan.File) throws(EngineError) -> any StorageFile {
        let path = directory.path(of: log.name)
        return try io { () throws(StorageError) in
            guard let source = try directory.fileSystem.openForReading(path) else {
                throw StorageError.vanished(path)
            }
            var copy = try AtomicReplace(
                log.name,
                in: directory.path,
                of: directory.fileSystem,
                mode: fileMode
            )
            do throws(StorageError) {
                try copy.append(contentsOf: source, length: log.length, path: path)
                try copy.sync()
            } catch {
                throw copy.abandon(after: error)
            }
            return try copy.publish()
        }
    }

    private func keepDamaged(_ rebuild: StorePlan.Rebuild) throws(EngineError) -> QuarantinedBytes {
        let name = StoreDirectory.snapshotName(rebuild.generation)
        let path = directory.path(of: name)
        let length = try io { () throws(StorageError) in
            guard let file = try directory.fileSystem.openForReading(path) else {
                throw StorageError.vanished(path)
            }
            return try file.length()
        }
        return try quarantine.keep(0..<length, of: name, reason: rebuild.damage.reason, time: time)
    }

    /// Puts a snapshot made from the generation before in the place of the damaged one.
    private func makeSnapshot(
        _ rebuild: StorePlan.Rebuild,
        _ plan: StorePlan
    ) throws(EngineError) -> StorePlan.File {
        let sources = plan.files.filter { $0.generation < rebuild.generation }
        let continuing = plan.files.first { $0.generation == rebuild.generation && $0.kind == .log }
        guard let continuing else { preconditionFailure("A rebuilt snapshot has the log that continues it.") }
        let header = FileHeader(
            kind: .snapshot,
            store: plan.store,
            generation: rebuild.generation,
            firstSequenceNumber: continuing.firstSequenceNumber,
            deletesSince: continuing.firstSequenceNumber,
            time: plan.lastTime
        )
        return try Compactor(directory, mode: fileMode).merge(sources, into: header)
    }
}
