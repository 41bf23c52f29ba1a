package import LogFormat
import LogStorage

/// What a store was, as far back as its files reach.
package struct HistoryReading: Sendable {
    package enum Moment: Sendable {
        case sequenceNumber(SequenceNumber)
        /// Milliseconds since 1970-01-01 UTC.
        case time(Int64)

        func includes(_ number: SequenceNumber, _ time: Int64) -> Bool {
            switch self {
            case .sequenceNumber(let last): number <= last
            case .time(let last): time <= last
            }
        }
    }

    private let directory: StoreDirectory
    private let limit: LogCursor.Limit

    package init(_ directory: StoreDirectory, upTo limit: LogCursor.Limit) {
        self.directory = directory
        self.limit = limit
    }

    /// Every record of an id that is still there, oldest first.
    package func versions(of id: CanonicalID) throws(EngineError) -> [RecordCopy] {
        var versions: [RecordCopy] = []
        guard let first = try bases().last else { return [] }
        try read(from: first) { (record, _) in
            if record.operation != .mark, record.id.elementsEqual(id.spelling),
                versions.last.map({ $0.sequenceNumber < record.sequenceNumber }) ?? true
            {
                versions.append(RecordCopy(record))
            }
            return true
        }
        return versions
    }

    /// The last put of each id at a moment, or nil when the files do not reach back so far.
    ///
    /// A batch belongs to it whole or not at all.
    package func state(at moment: Moment) throws(EngineError) -> [RecordCopy]? {
        for base in try bases() where moment.includes(base.first.previous, base.time) {
            var state: [CanonicalID: RecordCopy] = [:]
            var batch: [RecordCopy] = []
            try read(from: base) { (record, isInBatch) in
                guard moment.includes(record.sequenceNumber, record.time) else { return false }
                if record.operation != .mark { batch.append(RecordCopy(record)) }
                guard !isInBatch else { return true }
                for member in batch { state[member.id] = member.operation == .put ? member : nil }
                batch.removeAll()
                return true
            }
            return Array(state.values)
        }
        return nil
    }

    // MARK: Files

    /// Where a replay may begin.
    private struct Base {
        var generation: UInt64
        var hasSnapshot: Bool
        /// The number of the first record of its log.
        var first: SequenceNumber
        /// Nothing in the snapshot is later than this.
        var time: Int64
    }

    /// Newest first. Each has all logs up to the current one behind it.
    private func bases() throws(EngineError) -> [Base] {
        guard let listing = try directory.listing() else { return [] }
        var bases: [Base] = []
        var generation = limit.generation
        while listing.logs.contains(generation) {
            if listing.snapshots.contains(generation),
                let header = try header(StoreDirectory.snapshotName(generation))
            {
                bases.append(
                    Base(
                        generation: generation,
                        hasSnapshot: true,
                        first: header.firstSequenceNumber,
                        time: header.time
                    )
                )
            } else if generation == 1, let header = try header(StoreDirectory.logName(1)),
                header.firstSequenceNumber == .first
            {
                bases.append(Base(generation: 1, hasSnapshot: false, first: .first, time: .min))
            }
            if generation == 1 { break }
            generation -= 1
        }
        return bases
    }

    private func header(_ name: String) throws(EngineError) -> FileHeader? {
        var found: FileHeader?
        try lines(of: name, length: nil) { line in
            if case .padding = line { return true }
            if case .header(let header, _) = line { found = header }
            return false
        }
        return found
    }

    /// Hands the records from a base on to `body` until it returns false, and whether the batch goes on.
    private func read(from base: Base, _ body: (Record, Bool) -> Bool) throws(EngineError) {
        var goesOn = true
        func take(_ name: String, length: UInt64?, isSnapshot: Bool) throws(EngineError) {
            guard goesOn else { return }
            var fault: Corruption?
            try lines(of: name, length: length) { line in
                switch line {
                case .record(let record, _):
                    // In a snapshot every record stands alone.
                    goesOn = body(record, record.more && !isSnapshot)
                case .invalid(let bytes, let place):
                    fault = Corruption(place, in: name, reason: bytes.reason.description)
                    return false
                case .header, .footer, .padding: break
                }
                return goesOn
            }
            if let fault { throw EngineError(fault, in: directory.path) }
        }
        if base.hasSnapshot {
            try take(StoreDirectory.snapshotName(base.generation), length: nil, isSnapshot: true)
        }
        for generation in base.generation...limit.generation {
            let length = generation == limit.generation ? limit.offset : nil
            try take(StoreDirectory.logName(generation), length: length, isSnapshot: false)
        }
    }

    private func lines(
        of name: String,
        length: UInt64?,
        _ body: (ScannedLine) -> Bool
    ) throws(EngineError) {
        let path = directory.path(of: name)
        let opened = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
        guard let file = opened else {
            throw EngineError(StorageError.vanished(path))
        }
        let whole = try io { () throws(StorageError) in try file.length() }
        try FileScan.lines(of: file, path: path, length: min(length ?? whole, whole)) {
            (line) throws(EngineError) in body(line)
        }
    }
}
