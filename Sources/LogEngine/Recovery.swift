package import LogFormat
import LogStorage

/// All that opening decides, as a value: computed from the files before anything is changed.
package enum Recovery {
    package enum Plan {
        /// No store: no directory, or one whose creation was cut short before its first log.
        case absent
        /// A log that an import made before its snapshot was there. Nothing in it was acknowledged.
        case unfinishedImport
        case store(StorePlan)
    }

    /// Reads and judges the files of a store and changes nothing.
    package static func plan(
        _ directory: StoreDirectory,
        watch: (any OpeningWatch)? = nil
    ) throws(EngineError) -> Plan {
        guard let listing = try directory.listing() else { return .absent }
        guard listing.hasStore else {
            try refuseIfEvidenceIsLeft(listing, directory)
            return .absent
        }
        let base = listing.snapshots.last
        try refuseNewerFormat(listing.generations(from: base ?? 1), directory)
        if try isUnfinishedImport(listing, directory) { return .unfinishedImport }

        if let watch { watch.willRead(try directory.bytesToRead()) }
        do throws(ReplayFailure) {
            return .store(try Replay.plan(from: base, listing, directory, watch))
        } catch {
            switch error {
            case .engine(let error): throw error
            case .corruption(let corruption):
                guard let base, corruption.file == StoreDirectory.snapshotName(base) else {
                    throw EngineError(corruption, in: directory.path)
                }
                return .store(try rebuilding(base, damage: corruption, listing, directory, watch))
            }
        }
    }

    /// The generation before a damaged snapshot holds all that it held, as long as it is still there.
    private static func rebuilding(
        _ damaged: UInt64,
        damage: Corruption,
        _ listing: StoreListing,
        _ directory: StoreDirectory,
        _ watch: (any OpeningWatch)?
    ) throws(EngineError) -> StorePlan {
        try refuseNewerFormat(listing.generations(before: damaged), directory)
        let earlier: [UInt64?] = listing.snapshots.filter { $0 < damaged }.reversed() + [nil]
        for base in earlier {
            do throws(ReplayFailure) {
                var plan = try Replay.plan(from: base, listing, directory, watch)
                plan.rebuild = StorePlan.Rebuild(generation: damaged, damage: damage)
                return plan
            } catch {
                switch error {
                case .engine(let error): throw error
                // That generation cannot stand in. The next one may; the damage to report is the first.
                case .corruption: continue
                }
            }
        }
        throw EngineError(damage, in: directory.path)
    }

    // MARK: What is decided before anything is replayed

    private static func refuseIfEvidenceIsLeft(
        _ listing: StoreListing,
        _ directory: StoreDirectory
    ) throws(EngineError) {
        guard listing.hasQuarantine else { return }
        let names = try io { () throws(StorageError) in
            try directory.fileSystem.names(in: directory.quarantinePath)
        }
        guard let names, !names.isEmpty else { return }
        throw EngineError(
            .filesMissing,
            """
            \(directory.path) has no log and no snapshot, but its quarantine holds \(names.count) files, so it \
            was a store. Put its files back from a backup, or move the directory away to begin a new store.
            """
        )
    }

    /// Nothing in a store is judged when one of its files is from a later format.
    ///
    /// Files below the base are left alone as long as it is sound: one that cannot be read must not keep
    /// a store shut that does without it.
    private static func refuseNewerFormat(
        _ listing: StoreListing,
        _ directory: StoreDirectory
    ) throws(EngineError) {
        let names =
            listing.snapshots.map { StoreDirectory.snapshotName($0) }
            + listing.logs.map { StoreDirectory.logName($0) }
        for name in names {
            guard let first = try firstLine(of: name, directory) else { continue }
            guard case .newerFormat(let format) = first.newerFormat else { continue }
            throw EngineError(
                .newerFormat,
                """
                \(directory.path(of: name)) has format \(format), and this version reads format \
                \(FileHeader.format). Nothing was changed; open the store with a newer version of WALStore.
                """
            )
        }
    }

    private static func isUnfinishedImport(
        _ listing: StoreListing,
        _ directory: StoreDirectory
    ) throws(EngineError) -> Bool {
        guard listing.snapshots.isEmpty, listing.logs == [1] else { return false }
        let name = StoreDirectory.logName(1)
        guard let first = try firstLine(of: name, directory), let header = first.header else { return false }
        // A header that does not fit the name is that of another file, which nobody may replace.
        guard header.kind == .log, header.generation == 1 else { return false }
        return header.firstSequenceNumber > .first && first.isAlone
    }

    private struct FirstLine {
        var header: FileHeader?
        var newerFormat: InvalidBytes.Reason?
        /// Whether nothing but padding stands behind it.
        var isAlone = true
    }

    private static func firstLine(of name: String, _ directory: StoreDirectory) throws(EngineError)
        -> FirstLine?
    {
        let path = directory.path(of: name)
        let opened = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
        guard let file = opened else { return nil }
        let length = try io { () throws(StorageError) in try file.length() }
        var first: FirstLine?
        try FileScan.lines(of: file, path: path, length: length) { (line) throws(EngineError) in
            if case .padding = line { return true }
            guard first == nil else {
                first?.isAlone = false
                return false
            }
            switch line {
            case .header(let header, _): first = FirstLine(header: header)
            case .invalid(let bytes, _):
                first = FirstLine()
                if case .newerFormat = bytes.reason { first?.newerFormat = bytes.reason }
            case .record, .footer, .padding: first = FirstLine()
            }
            return true
        }
        return first
    }
}

/// What to serve, what to cut and what to report.
package struct StorePlan: Sendable {
    /// A file that the state is replayed from.
    package struct File: Sendable {
        package var name: String
        package var kind: FileHeader.Kind
        package var generation: UInt64
        /// The bytes of it that count.
        package var length: UInt64
        package var firstSequenceNumber: SequenceNumber
    }

    /// Bytes at the end of the highest log that go.
    package struct Cut: Hashable, Sendable {
        /// In bytes from the start of the file.
        package var range: Range<UInt64>
        package var reason: String
        /// Whether they are nothing but NULs and LFs, so that there is nothing to keep.
        package var isBlank: Bool
    }

    package struct Rebuild: Sendable {
        /// Of the damaged snapshot.
        package var generation: UInt64
        package var damage: Corruption
    }

    /// The store's UUID.
    package var store: String
    /// A snapshot, if any, and the logs that continue it.
    package var files: [File]
    package var index: LiveIndex
    package var lastSequenceNumber: SequenceNumber
    package var lastTime: Int64
    /// The highest `synced` that the highest log says.
    package var synced: SequenceNumber
    package var records: UInt64
    package var cut: Cut?
    /// Whether the highest log has a record or mark, and whether its last line is a mark.
    package var highestLogHasRecords: Bool
    package var highestLogEndsInMark: Bool
    /// Deletes numbered at least this are still known.
    package var deletesSince: SequenceNumber
    package var rebuild: Rebuild?

    /// Whether the highest log has to be written anew: a failed sync may have left it in a state that only
    /// looks stable. A clean close ends the log with a mark.
    package var needsRewrite: Bool { !highestLogEndsInMark || cut != nil }

    /// The log that is appended to.
    package var highestLog: File {
        guard let last = files.last else { preconditionFailure("A plan has at least one log.") }
        return last
    }
}
