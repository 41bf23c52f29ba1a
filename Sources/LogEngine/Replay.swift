import LogFormat
import LogStorage

/// Why a chain of files could not be replayed.
enum ReplayFailure: Error {
    case corruption(Corruption)
    case engine(EngineError)
}

/// Replays a snapshot and the logs that continue it into an index.
struct Replay {
    private let directory: StoreDirectory
    private let watch: (any OpeningWatch)?
    private var plan: StorePlan
    private var pending: [(id: CanonicalID, location: LiveIndex.Location)] = []

    /// The plan for the chain that begins with snapshot `base`, or with log 1 when there is none.
    static func plan(
        from base: UInt64?,
        _ listing: StoreListing,
        _ directory: StoreDirectory,
        _ watch: (any OpeningWatch)?
    ) throws(ReplayFailure) -> StorePlan {
        var replay = Replay(directory, watch)
        if let base { try replay.snapshot(base) }
        let first = base ?? 1
        let highest = max(listing.logs.last ?? 0, first, listing.snapshots.last ?? 0)
        for generation in first...highest {
            guard listing.logs.contains(generation) else {
                throw .corruption(missing(StoreDirectory.logName(generation)))
            }
            try replay.log(generation, isHighest: generation == highest)
        }
        return replay.plan
    }

    private init(_ directory: StoreDirectory, _ watch: (any OpeningWatch)?) {
        self.directory = directory
        self.watch = watch
        plan = StorePlan(
            store: "",
            files: [],
            index: LiveIndex(),
            lastSequenceNumber: .zero,
            lastTime: .min,
            synced: .zero,
            records: 0,
            highestLogHasRecords: false,
            highestLogEndsInMark: false,
            deletesSince: .first
        )
    }

    private static func missing(_ name: String) -> Corruption {
        Corruption(file: name, line: 0, offset: 0, length: 0, reason: "the file is missing")
    }

    // MARK: Files

    private mutating func snapshot(_ generation: UInt64) throws(ReplayFailure) {
        let name = StoreDirectory.snapshotName(generation)
        let (file, length) = try open(name)
        var seen = SnapshotObservations { header in
            headerFault(header, kind: .snapshot, generation: generation, store: nil, first: nil)
        }
        let number = Int32(plan.files.count)
        try scan(file, name, length) { line in
            guard seen.observe(line), case .record(let record, let place) = line else { return }
            plan.index.set(record.id, LiveIndex.Location(record, at: place.offset, in: number))
            if seen.records == Self.sample { makeRoom(place.range.upperBound, of: length, record) }
        }
        if let corruption = seen.verdict(file: name, length: length) { throw .corruption(corruption) }
        guard let header = seen.header else { preconditionFailure("A sound snapshot has a header.") }
        plan.store = header.store
        plan.records += seen.records
        plan.lastTime = max(plan.lastTime, seen.lastTime)
        plan.lastSequenceNumber = header.firstSequenceNumber.previous
        plan.deletesSince = header.deletesSince ?? header.firstSequenceNumber
        plan.files.append(
            StorePlan.File(
                name: name,
                kind: .snapshot,
                generation: generation,
                length: length,
                firstSequenceNumber: header.firstSequenceNumber
            )
        )
    }

    private static var sample: UInt64 { 1_000 }

    /// Makes room for the ids of a snapshot, as many as its first records let expect.
    private mutating func makeRoom(_ offset: UInt64, of length: UInt64, _ record: Record) {
        let count = Double(length) / Double(offset) * Double(Self.sample) * 1.02
        // Beyond that the index grows as it goes: a file may begin otherwise than it goes on.
        plan.index.reserveCapacity(Int(min(count, 4_000_000)), idLength: record.id.count)
    }

    private mutating func log(_ generation: UInt64, isHighest: Bool) throws(ReplayFailure) {
        let name = StoreDirectory.logName(generation)
        let (file, length) = try open(name)
        let store = plan.files.isEmpty ? nil : plan.store
        let first = plan.lastSequenceNumber.next
        var seen = LogObservations { header in
            headerFault(header, kind: .log, generation: generation, store: store, first: first)
        }
        let number = Int32(plan.files.count)
        pending.removeAll()
        try scan(file, name, length) { line in
            let effect = seen.observe(line)
            guard case .record(let record, let place) = line else { return }
            apply(record, LiveIndex.Location(record, at: place.offset, in: number), effect)
        }
        let verdict =
            isHighest
            ? LogVerdict.onHighest(seen, file: name, length: length)
            : LogVerdict.onEarlier(seen, file: name, length: length)
        switch verdict {
        case .corruption(let corruption): throw .corruption(corruption)
        case .tornTail(let reason):
            plan.cut = StorePlan.Cut(
                range: seen.contentBehind,
                reason: reason,
                isBlank: seen.isBlankBehind
            )
        case .sound: break
        }
        adopt(seen, name, generation, length: isHighest ? seen.end : length)
    }

    private mutating func adopt(_ seen: LogObservations, _ name: String, _ generation: UInt64, length: UInt64)
    {
        guard let header = seen.header else { preconditionFailure("A log that is replayed has a header.") }
        plan.store = header.store
        plan.records += seen.records
        plan.lastTime = max(plan.lastTime, seen.lastTime)
        plan.lastSequenceNumber = seen.next.previous
        plan.synced = seen.synced
        plan.highestLogHasRecords = seen.records > 0
        plan.highestLogEndsInMark = seen.endsInMark
        plan.files.append(
            StorePlan.File(
                name: name,
                kind: .log,
                generation: generation,
                length: length,
                firstSequenceNumber: header.firstSequenceNumber
            )
        )
    }

    /// Batches count whole or not at all, so their records wait for the last.
    private mutating func apply(
        _ record: Record,
        _ location: LiveIndex.Location,
        _ effect: LogObservations.Effect
    ) {
        switch effect {
        case .none: break
        case .pending:
            if record.operation != .mark {
                pending.append((CanonicalID(verified: record.id), location))
            }
        case .counts:
            for (id, location) in pending {
                id.spelling.withUnsafeBytes { plan.index.set($0, location) }
            }
            pending.removeAll(keepingCapacity: true)
            if record.operation != .mark { plan.index.set(record.id, location) }
        }
    }

    // MARK: I/O

    private func open(_ name: String) throws(ReplayFailure) -> (any StorageFile, UInt64) {
        let opened: (any StorageFile)?
        let length: UInt64
        do throws(StorageError) {
            opened = try directory.fileSystem.openForReading(directory.path(of: name))
            length = try opened?.length() ?? 0
        } catch {
            throw .engine(EngineError(error))
        }
        guard let file = opened else { throw .corruption(Self.missing(name)) }
        return (file, length)
    }

    private func scan(
        _ file: any StorageFile,
        _ name: String,
        _ length: UInt64,
        _ body: (ScannedLine) -> Void
    ) throws(ReplayFailure) {
        do throws(EngineError) {
            try FileScan.lines(of: file, path: directory.path(of: name), length: length, watch: watch) {
                (line) throws(EngineError) in
                body(line)
                return true
            }
        } catch {
            throw .engine(error)
        }
    }
}

/// What in a valid header does not fit the file's name or the other files, or nil.
private func headerFault(
    _ header: FileHeader,
    kind: FileHeader.Kind,
    generation: UInt64,
    store: String?,
    first: SequenceNumber?
) -> String? {
    if header.kind != kind { return "the header says that the file is a \(header.kind.rawValue)" }
    if header.generation != generation { return "the header says generation \(header.generation)" }
    if let store, header.store != store {
        return "the header says store \(header.store), the files before it say \(store)"
    }
    if let first, header.firstSequenceNumber != first {
        return "the header says that the file begins with record \(header.firstSequenceNumber), not \(first)"
    }
    return nil
}
