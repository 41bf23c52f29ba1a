package import LogFormat
import LogStorage

/// Reads a store's records in the order of their numbers, from any number on, across logs and past
/// compactions. The files are its only buffer.
///
/// It needs no lock: it reads what the owner of the log says is complete. One reader at a time uses it.
package final class LogCursor {
    /// Up to where records may be read.
    package struct Limit: Sendable {
        /// Of the log that is appended to.
        package var generation: UInt64
        /// In that log, in bytes.
        package var offset: UInt64
        package var sequenceNumber: SequenceNumber

        package init(generation: UInt64, offset: UInt64, sequenceNumber: SequenceNumber) {
            self.generation = generation
            self.offset = offset
            self.sequenceNumber = sequenceNumber
        }
    }

    package enum Event: Sendable {
        /// What was asked for is gone. The puts that follow, up to the number, are the whole state.
        case reset(upTo: SequenceNumber)
        case record(RecordCopy)
    }

    private let directory: StoreDirectory
    /// Everything up to here was delivered.
    package private(set) var position: SequenceNumber
    /// The bytes of the files that it has gone through.
    package private(set) var bytesRead: UInt64 = 0
    private var file: OpenFile?

    private struct OpenFile {
        var file: any StorageFile
        var name: String
        var kind: FileHeader.Kind
        var generation: UInt64
        /// Where the next line begins.
        var offset: UInt64
        var line: UInt64
        /// Of the snapshot: records up to this number are passed over.
        var skipping: SequenceNumber
        /// Of the snapshot: the number that the logs go on from.
        var end: SequenceNumber
    }

    /// A cursor behind the record `position`.
    package init(_ directory: StoreDirectory, after position: SequenceNumber) {
        self.directory = directory
        self.position = position
    }

    /// Whether a snapshot is being read: the state is whole only at its end.
    package var isInSnapshot: Bool { file?.kind == .snapshot }

    /// The next events, a few hundred at the most; empty when everything up to the limit was delivered.
    package func next(upTo limit: Limit) throws(EngineError) -> [Event] {
        var events: [Event] = []
        if position > limit.sequenceNumber { try begin(&events, isAhead: true) }
        while events.isEmpty, file?.kind == .snapshot || position < limit.sequenceNumber {
            if file == nil {
                try checkProgress()
                try begin(&events, isAhead: false)
            }
            let before = position
            try readOn(&events, limit)
            // In the log that is appended to there is nothing to look for elsewhere.
            if events.isEmpty, position == before, file?.generation == limit.generation, file?.kind == .log {
                try checkProgress()
            }
        }
        return events
    }

    // MARK: Finding the place

    /// Where the place was last looked for. Files that retention removes make the cursor look again;
    /// files that lack a record would make it look for ever.
    private var sought: (position: SequenceNumber, times: Int)?

    private func checkProgress() throws(EngineError) {
        let times = sought?.position == position ? (sought?.times ?? 0) + 1 : 1
        sought = (position, times)
        guard times > 10 else { return }
        throw EngineError(
            .corruption,
            "\(directory.path) has no record \(position.next), though later ones are there. See \"walstore verify\"."
        )
    }

    /// Opens the file that the record behind `position` is in.
    private func begin(_ events: inout [Event], isAhead: Bool) throws(EngineError) {
        guard let listing = try directory.listing() else { throw vanished(directory.path) }
        let wanted = position.next
        if !isAhead {
            for generation in listing.logs.reversed() {
                guard let log = try open(.log, generation) else { continue }
                if log.header.firstSequenceNumber <= wanted {
                    file = log.file
                    return
                }
            }
        }
        for generation in listing.snapshots.reversed() {
            guard let found = try open(.snapshot, generation) else { continue }
            let header = found.header
            var snapshot = found.file
            snapshot.end = header.firstSequenceNumber
            if let since = header.deletesSince, since <= wanted, !isAhead {
                snapshot.skipping = position
            } else {
                snapshot.skipping = .zero
                position = .zero
                events.append(.reset(upTo: header.firstSequenceNumber.previous))
            }
            file = snapshot
            return
        }
        // Without a snapshot log 1 has everything, from its first record on.
        position = .zero
        events.append(.reset(upTo: .zero))
        guard let log = try open(.log, 1), log.header.firstSequenceNumber == .first else {
            throw vanished(directory.path(of: StoreDirectory.logName(1)))
        }
        file = log.file
    }

    private func open(
        _ kind: FileHeader.Kind,
        _ generation: UInt64
    ) throws(EngineError) -> (header: FileHeader, file: OpenFile)? {
        let name = kind == .log ? StoreDirectory.logName(generation) : StoreDirectory.snapshotName(generation)
        let path = directory.path(of: name)
        let opened = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
        guard let file = opened else { return nil }
        let length = try io { () throws(StorageError) in try file.length() }
        var found: (FileHeader, LinePlace)?
        try FileScan.lines(of: file, path: path, length: length) { (line) throws(EngineError) in
            switch line {
            case .padding: return true
            case .header(let header, let place): found = (header, place)
            case .record, .footer, .invalid: break
            }
            return false
        }
        guard let (header, place) = found else { return nil }
        let open = OpenFile(
            file: file,
            name: name,
            kind: kind,
            generation: generation,
            offset: place.range.upperBound,
            line: place.line + 1,
            skipping: .zero,
            end: .zero
        )
        return (header, open)
    }

    // MARK: Reading

    private static let lot = 256

    private func readOn(_ events: inout [Event], _ limit: Limit) throws(EngineError) {
        guard var open = file else { return }
        let path = directory.path(of: open.name)
        let isCurrent = open.kind == .log && open.generation == limit.generation
        if isCurrent {
            // Recovery after a crash of the writer puts another file in the log's place, with the same
            // bytes up to here.
            let named = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
            if let named { open.file = named }
        }
        let length = try io { () throws(StorageError) in try open.file.length() }
        var count = 0
        var isWhole = true
        var found: [Event] = []
        // Taken over at the end, so that a read that fails can be tried again.
        var reached = position
        try FileScan.lines(
            of: open.file,
            path: path,
            from: open.offset,
            line: open.line,
            length: isCurrent ? min(limit.offset, length) : length
        ) { (line) throws(EngineError) in
            if count == Self.lot {
                isWhole = false
                return false
            }
            if case .invalid(let bytes, let place) = line {
                throw EngineError(
                    Corruption(place, in: open.name, reason: bytes.reason.description),
                    in: directory.path
                )
            }
            open.offset = line.place.range.upperBound
            if case .padding(let place) = line { open.line = place.line + place.length }
            guard case .record(let record, let place) = line else { return true }
            open.line = place.line + 1
            if record.sequenceNumber <= max(open.skipping, open.kind == .log ? position : .zero) {
                return true
            }
            count += 1
            if record.operation != .mark { found.append(.record(RecordCopy(record))) }
            if open.kind == .log { reached = record.sequenceNumber }
            return true
        }
        bytesRead += open.offset - (file?.offset ?? 0)
        position = reached
        file = open
        events += found
        if isWhole, !isCurrent { try finish(open, limit) }
    }

    /// A file that is not appended to any more was read to its end.
    private func finish(_ open: OpenFile, _ limit: Limit) throws(EngineError) {
        switch open.kind {
        case .snapshot:
            position = open.end.previous
            file = try self.open(.log, open.generation)?.file
        case .log:
            // A log that retention has removed may end anywhere. Then the place is looked for anew.
            let next = try self.open(.log, open.generation + 1)
            file = next.flatMap { $0.header.firstSequenceNumber == position.next ? $0.file : nil }
        }
    }

    private func vanished(_ path: String) -> EngineError {
        EngineError(StorageError.vanished(path))
    }
}

/// A record that outlives the scan it was found in.
package struct RecordCopy: Sendable {
    package var operation: Record.Operation
    package var sequenceNumber: SequenceNumber
    /// Milliseconds since 1970-01-01 UTC.
    package var time: Int64
    package var schema: UInt64
    package var id: CanonicalID
    /// Empty for a delete.
    package var value: [UInt8]

    package init(_ record: Record) {
        operation = record.operation
        sequenceNumber = record.sequenceNumber
        time = record.time
        schema = record.schema
        id = CanonicalID(verified: record.id)
        value = Array(record.value)
    }
}
