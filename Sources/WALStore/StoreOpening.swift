#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

import class Foundation.Progress

/// A store that was opened: what the repository adopts.
struct OpenedStore<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    var state: LoadedState<Item>
    var appender: LogAppender
    var files: StoreFiles
    var lock: any HeldLock
    var report: RecoveryReport
}

/// Everything that opening does, on the caller's thread: lock, plan, decode, carry out.
struct StoreOpening<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private let location: StoreLocation
    private let configuration: StoreConfiguration
    private let coder: ItemCoder<Item>
    private let directory: StoreDirectory
    private let fileMode: FileMode
    private let directoryMode: FileMode
    private let progress: OpeningProgress?

    init(
        _ location: StoreLocation,
        _ configuration: StoreConfiguration,
        _ coder: ItemCoder<Item>,
        _ progress: Progress?
    ) {
        self.location = location
        self.configuration = configuration
        self.coder = coder
        directory = StoreDirectory(path: location.store, fileSystem: configuration.fileSystem)
        fileMode = FileMode(rawValue: configuration.fileMode)
        directoryMode = FileMode(rawValue: configuration.directoryMode)
        self.progress = progress.map { OpeningProgress($0, store: location.store) }
    }

    func open() throws(StoreError) -> OpenedStore<Item> {
        let start = ContinuousClock.now
        try checkNotCancelled()
        let lock = try takeLock()
        var origin = RecoveryReport.Origin.existing
        let plan: StorePlan
        switch try engine({ () throws(EngineError) in try Recovery.plan(directory, watch: progress) }) {
        case .store(let found): plan = found
        case .absent: (plan, origin) = try create(isImportUnfinished: false)
        case .unfinishedImport: (plan, origin) = try create(isImportUnfinished: true)
        }

        // Decoded before anything is changed, so that a refusal leaves the files as they are.
        let state = try state(of: plan)
        if configuration.loading == .eager, configuration.undecodable == .refuse,
            let first = state.undecodable.first
        {
            throw refusal(state.undecodable, first)
        }
        try checkNotCancelled()
        let effects = RecoveryEffects(
            directory,
            fileMode: fileMode,
            directoryMode: directoryMode,
            time: configuration.now()
        )
        let outcome = try engine { () throws(EngineError) in try effects.perform(plan) }
        let report = RecoveryReport(
            origin: origin,
            recordsReplayed: plan.records,
            lastSequenceNumber: plan.lastSequenceNumber.rawValue,
            quarantined: outcome.quarantined.map { RecoveryReport.Quarantined($0) },
            bytesCut: plan.cut.map { $0.range.upperBound - $0.range.lowerBound } ?? 0,
            rebuiltSnapshot: outcome.rebuilt?.generation,
            migrated: state.migrated,
            undecodable: state.undecodable,
            duration: ContinuousClock.now - start
        )
        let files = StoreFiles(plan, rebuilt: outcome.rebuilt)
        if outcome.rebuilt == nil { try clearLeftovers(files) }
        progress?.finish()
        return OpenedStore(
            state: state,
            appender: LogAppender(
                plan,
                outcome.log,
                directory,
                largestRecord: configuration.largestRecord,
                space: configuration.durability == .synced && configuration.writesAhead ? SpaceAhead() : nil,
                now: configuration.now
            ),
            files: files,
            lock: lock,
            report: report
        )
    }

    private func state(of plan: StorePlan) throws(StoreError) -> LoadedState<Item> {
        switch configuration.loading {
        case .eager: try StateLoading(coder, directory, plan, progress).load()
        case .onDemand: LoadedState(try StoredItems(coder, directory, plan.index, plan.files))
        }
    }

    private func checkNotCancelled() throws(StoreError) {
        try engine { () throws(EngineError) in try progress?.check() }
    }

    private func refusal(_ all: [RecoveryReport.Undecodable], _ first: RecoveryReport.Undecodable)
        -> StoreError
    {
        let ids = all.prefix(10).map(\.id).joined(separator: ", ") + (all.count > 10 ? ", …" : "")
        return StoreError(
            .undecodable,
            """
            \(all.count) records of \(location.store) cannot be decoded as \(Item.self): \(ids). The first, record \
            \(first.sequenceNumber), says: \(first.cause). Nothing was changed. Make the type decode them, or open \
            with undecodable = .carryForward, which leaves them out and keeps their bytes.
            """,
            cause: first.cause
        )
    }

    /// A compaction may have been cut short while it removed what its snapshot has replaced.
    private func clearLeftovers(_ files: StoreFiles) throws(StoreError) {
        try engine { () throws(EngineError) in
            guard let listing = try directory.listing() else { return }
            let lowest = Retention.lowest(in: listing, keeping: configuration.retention.generations)
            try Retention.remove(below: min(lowest, files.baseGeneration), from: directory)
        }
    }

    // MARK: The lock

    private func takeLock() throws(StoreError) -> any HeldLock {
        let fileSystem = configuration.fileSystem
        switch try storage({ () throws(StorageError) in try fileSystem.kind(of: location.store) }) {
        case .directory: break
        case nil: try makeDirectory()
        case .file, .other:
            throw StoreError(
                .notADirectory,
                "\(location.store) is not a directory, so no store can be there. Move it away or use another name."
            )
        }
        let path = directory.path(of: StoreDirectory.lockName)
        let process = ProcessInfo.processInfo
        let holder = "process \(process.processIdentifier) (\(process.processName))"
        let note = "\(holder) since \(Date().formatted(.iso8601))\n"
        let result = try storage { () throws(StorageError) in
            try fileSystem.lock(path, mode: fileMode, note: note)
        }
        switch result {
        case .acquired(let lock): return lock
        case .held(let other):
            let other = String(other.prefix { $0 != "\n" })
            let name = other.isEmpty ? "someone who left no note" : other
            let here = other.hasPrefix("\(holder) ") ? ", which is this one" : ""
            throw StoreError(
                .inUse,
                "\(location.store) is in use by \(name)\(here). One opener at a time may write; close that one first."
            )
        }
    }

    private func makeDirectory() throws(StoreError) {
        try engine { () throws(EngineError) in try StoreCreation.directory(directory, mode: directoryMode) }
    }

    // MARK: Creation

    /// Makes a store, of the items of a plain JSON file if one is there.
    private func create(
        isImportUnfinished: Bool
    ) throws(StoreError) -> (StorePlan, RecoveryReport.Origin) {
        let items = try PlainFile(location, configuration.fileSystem).changes(coder)
        guard !isImportUnfinished || items != nil else {
            throw StoreError(
                .corruption,
                """
                \(location.store) is an import that was cut short, and its source, \(location.plainFile), is gone. \
                Put that file back, or move the directory away to begin an empty store.
                """
            )
        }
        try checkNotCancelled()
        try makeDirectory()
        let records = (items ?? []).map { (id: $0.spelling, value: $0.value) }
        try engine { () throws(EngineError) in try makeFiles(records) }
        guard case .store(let plan) = try engine({ () throws(EngineError) in try Recovery.plan(directory) })
        else {
            throw StoreError(.io, "\(location.store) was made and cannot be found.")
        }
        if items != nil { try verify(records, plan) }
        return (plan, items.map { .imported(items: $0.count) } ?? .created)
    }

    /// The log first, then the snapshot: a log that begins with a later number and has no snapshot
    /// beside it tells that the import was cut short.
    private func makeFiles(_ records: [(id: CanonicalID, value: [UInt8])]) throws(EngineError) {
        var header = FileHeader(
            kind: .log,
            store: UUID().uuidString.lowercased(),
            generation: 1,
            firstSequenceNumber: SequenceNumber(UInt64(records.count) + 1),
            time: configuration.now()
        )
        _ = try StoreCreation.log(header, in: directory, mode: fileMode)
        guard !records.isEmpty else { return }
        header.kind = .snapshot
        header.deletesSince = header.firstSequenceNumber
        try StoreCreation.snapshot(
            header,
            records,
            schema: coder.schemaVersion,
            in: directory,
            mode: fileMode
        )
    }

    /// Reads an import back and compares it with what was to be imported.
    private func verify(_ records: [(id: CanonicalID, value: [UInt8])], _ plan: StorePlan) throws(StoreError)
    {
        let index = plan.index
        let slots = index.liveSlots()
        var isSame = slots.count == records.count
        var reader = ValueReader(directory, plan.files)
        for (slot, record) in zip(slots, records) where isSame {
            do throws(EngineError) {
                let value = try reader.value(at: index.location(at: slot))
                isSame = value.elementsEqual(record.value) && index.id(at: slot) == record.id
            } catch {
                throw StoreError(error)
            }
        }
        guard isSame else {
            throw StoreError(
                .importFailed,
                """
                \(location.store) does not hold what was imported from \(location.plainFile), which is unchanged. \
                The disk or its file system returns other bytes than were written.
                """
            )
        }
    }
}

extension RecoveryReport.Quarantined {
    fileprivate init(_ bytes: QuarantinedBytes) {
        self.init(
            file: bytes.file,
            offset: bytes.offset,
            length: bytes.length,
            reason: bytes.reason,
            path: bytes.path
        )
    }
}
