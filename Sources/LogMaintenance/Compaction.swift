import LogEngine
import LogFormat
import LogInspection
import LogStorage
import Synchronization

/// `compact`: merges a store that no one has open into a new snapshot.
struct Compaction {
    private let maintainer: Maintainer
    private let access: StoreAccess

    init(_ maintainer: Maintainer, _ store: String) throws(MaintenanceError) {
        self.maintainer = maintainer
        access = try StoreAccess(maintainer, store)
    }

    func run(json: Bool) throws(MaintenanceError) {
        let before = try bytes(from: 0)
        let store = try access.open()
        let isCompacted = try compact(store)
        try engine { () throws(EngineError) in try store.close() }
        guard let listing = try engine({ () throws(EngineError) in try access.directory.listing() }) else {
            throw MaintenanceError(.noStore, "\(access.directory.path) has vanished.")
        }
        let generation = listing.logs.last ?? 1
        let base = listing.snapshots.last ?? 1
        let sizes = (before: before, after: try bytes(from: 0), state: try bytes(from: base))
        let records = UInt64(store.plan.index.liveCount)
        let cut = store.plan.cut.map { $0.range.upperBound - $0.range.lowerBound } ?? 0
        if json {
            var line = JSONLine()
            line.add("type", "summary")
            line.add("compacted", isCompacted)
            line.add("generation", generation)
            line.add("records", records)
            line.add("stateBytes", sizes.state)
            line.add("bytesBefore", sizes.before)
            line.add("bytesAfter", sizes.after)
            line.add("cutBytes", cut)
            return try maintainer.print(line)
        }
        let path = TerminalText.escaped(access.directory.path)
        guard isCompacted else {
            return try maintainer.print(
                "\(path): nothing to compact, \(records.counted("live record")) in \(sizes.state.counted("byte"))"
            )
        }
        try maintainer.print(
            """
            \(path): \(records.counted("live record")) in \(sizes.state.counted("byte")), generation \(generation)
            all files: \(sizes.before.counted("byte")) before, \(sizes.after) after; \
            the generation before stays until the next compaction
            """
        )
    }

    /// Deletes that the store's program keeps for readers of its changes stay as far back as they are kept.
    private func compact(_ store: UntypedStore) throws(MaintenanceError) -> Bool {
        let snapshot = store.plan.files.first { $0.kind == .snapshot }
        let keepsDeletes = snapshot.map { store.plan.deletesSince < $0.firstSequenceNumber } ?? false
        let line = maintainer.surroundings.progress.map { ProgressLine($0) }
        defer { line?.clear() }
        var watcher: (@Sendable (Double) -> Void)?
        if let line { watcher = { line.show($0) } }
        let progress = Compactor.Progress(watcher: watcher)
        return try engine { () throws(EngineError) in
            try store.compact(
                keepingDeletesSince: keepsDeletes ? store.plan.deletesSince : nil,
                progress: progress
            )
        }
    }

    /// The bytes of the logs and snapshots of a generation and those above it.
    private func bytes(from generation: UInt64) throws(MaintenanceError) -> UInt64 {
        let directory = access.directory
        guard let listing = try engine({ () throws(EngineError) in try directory.listing() }) else {
            return 0
        }
        let names =
            listing.snapshots.filter { $0 >= generation }.map { StoreDirectory.snapshotName($0) }
            + listing.logs.filter { $0 >= generation }.map { StoreDirectory.logName($0) }
        var sum: UInt64 = 0
        for name in names {
            sum += try storage { () throws(StorageError) in
                try maintainer.fileSystem.openForReading(directory.path(of: name))?.length() ?? 0
            }
        }
        return sum
    }
}

/// A line on a terminal that says how far a merge has come.
private final class ProgressLine: Sendable {
    private let show: @Sendable (String) -> Void
    private let shown = Mutex(-1)

    init(_ show: @escaping @Sendable (String) -> Void) {
        self.show = show
    }

    func show(_ fraction: Double) {
        let percent = Int(fraction * 100)
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        if isNew { show("walstore: compacting, \(percent) %") }
    }

    func clear() {
        if shown.withLock({ $0 >= 0 }) { show("") }
    }
}
