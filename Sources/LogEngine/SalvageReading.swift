import LogFormat
import LogStorage

/// Reads files past their damage and keeps what is sound and in order.
struct SalvageReading {
    struct Source {
        var kind: FileHeader.Kind
        var generation: UInt64
        /// Where a torn tail begins; nothing behind it is kept.
        var tail: UInt64?
        /// Where the records of a log stand that are out of order, rising.
        var strays: [Range<UInt64>] = []

        init(_ kind: FileHeader.Kind, _ generation: UInt64, tail: UInt64?) {
            self.kind = kind
            self.generation = generation
            self.tail = tail
        }

        var name: String {
            kind == .log ? StoreDirectory.logName(generation) : StoreDirectory.snapshotName(generation)
        }
    }

    private let source: StoreDirectory
    var report = SalvageReport()
    private(set) var files: [StorePlan.File] = []
    private(set) var index = LiveIndex()
    /// The slots of the index to write, in the order of their numbers.
    private(set) var kept: [Int] = []
    private(set) var lastTime: Int64 = 0

    private let store: String?
    /// The number expected next in the logs; nil until the snapshot that they continue tells.
    private var expected: SequenceNumber?
    /// The highest number seen anywhere; the new store goes on behind it.
    private var highest: SequenceNumber = .zero
    /// The highest number that the logs must have held; what stands in a torn tail was never promised.
    private var highestHeld: SequenceNumber = .zero
    var batch: [(id: CanonicalID?, location: LiveIndex.Location)] = []

    init(_ source: StoreDirectory, _ sources: SalvageSources) {
        self.source = source
        store = sources.store
        if !sources.isContinuing { expected = .first }
        for generations in sources.missingLogs { noteMissing(generations) }
        report.rebuilt = sources.rebuilt
    }

    /// Hands every line of a file to `body`; returns the file's length.
    static func lines(
        of name: String,
        _ source: StoreDirectory,
        _ body: (ScannedLine) -> Void
    ) throws(EngineError) -> UInt64 {
        try lines(of: name, source) { (line) -> Bool in
            body(line)
            return true
        }
    }

    /// Hands the lines of a file to `body` until it returns false; returns the file's length.
    @discardableResult
    static func lines(
        of name: String,
        _ source: StoreDirectory,
        while body: (ScannedLine) -> Bool
    ) throws(EngineError) -> UInt64 {
        let path = source.path(of: name)
        let opened = try io { () throws(StorageError) in try source.fileSystem.openForReading(path) }
        guard let file = opened else {
            throw EngineError(StorageError.vanished(path))
        }
        let length = try io { () throws(StorageError) in try file.length() }
        try FileScan.lines(of: file, path: path, length: length) { (line) throws(EngineError) in
            body(line)
        }
        return length
    }

    mutating func read(_ file: Source) throws(EngineError) {
        let name = file.name
        var kind = file.kind
        var isFirst = true
        var isForeign = false
        var snapshot = SnapshotPlaces()
        var strays = file.strays[...]
        let number = Int32(files.count)
        let length = try Self.lines(of: name, source) { line in
            if case .padding = line { return }
            defer { isFirst = false }
            if case .header(let header, let place) = line, isFirst {
                kind = header.kind
                isForeign = !adopt(header, file, place)
                snapshot.end = header.firstSequenceNumber
                return
            }
            if isFirst, !line.isInvalid { note(line, name, "no valid header stands before this line") }
            if isForeign { return }
            let offset = line.place.offset
            while let stray = strays.first, stray.upperBound <= offset { strays.removeFirst() }
            var reason: SalvageReport.LeftOut.Reason?
            if strays.first?.contains(offset) ?? false { reason = .outOfOrder }
            if let tail = file.tail, offset >= tail { reason = .tornTail }
            switch kind {
            case .log: readLog(line, name, number, leavingOut: reason)
            case .snapshot: readSnapshot(line, name, number, &snapshot)
            }
        }
        leaveOutBatch(name)
        if let reason = reasonAtEnd(kind, isEmpty: isFirst, isForeign: isForeign, snapshot) {
            report.add(
                SalvageReport.Fault(file: name, line: 0, offset: length, length: 0, reason: reason)
            )
        }
        files.append(
            StorePlan.File(
                name: name,
                kind: file.kind,
                generation: file.generation,
                length: length,
                firstSequenceNumber: .first
            )
        )
        report.generation = max(report.generation, file.generation + 1)
    }

    mutating func finish() {
        if let expected, highestHeld >= expected { miss(expected, highestHeld) }
        subtractFromMissing()
        chooseKept()
        report.firstSequenceNumber = min(highest.next, .highest)
        report.generation = min(report.generation, StoreDirectory.highestGeneration)
        report.liveRecords = UInt64(kept.count)
    }

    /// Of two ids with the same number only one can be right, and a snapshot with both is refused. A log's
    /// record counts, whose number fits those around it; of two others the newer file's.
    private mutating func chooseKept() {
        func isFromLog(_ slot: Int) -> Bool { files[Int(index.location(at: slot).file)].kind == .log }
        let slots = index.liveSlots().sorted { left, right in
            let numbers = (index.location(at: left).sequenceNumber, index.location(at: right).sequenceNumber)
            if numbers.0 != numbers.1 { return numbers.0 < numbers.1 }
            if isFromLog(left) != isFromLog(right) { return isFromLog(left) }
            return index.location(at: left).file > index.location(at: right).file
        }
        var last = SequenceNumber.zero
        for slot in slots {
            let location = index.location(at: slot)
            if location.sequenceNumber > last {
                kept.append(slot)
                last = location.sequenceNumber
            } else {
                leaveOut(index.id(at: slot), location, files[Int(location.file)].name, .outOfOrder)
            }
        }
    }

    /// Numbers that the logs have lost and a snapshot still has are not missing.
    private mutating func subtractFromMissing() {
        guard !report.missing.isEmpty else { return }
        let numbers = (0..<index.count).map { index.location(at: $0).sequenceNumber.rawValue }.sorted()
        report.found(numbers)
    }

    // MARK: Headers

    /// Whether the file belongs to the store.
    private mutating func adopt(_ header: FileHeader, _ file: Source, _ place: LinePlace) -> Bool {
        func fault(_ reason: String) {
            report.add(SalvageReport.Fault(place, in: file.name, reason, lost: nil))
        }
        if let store, header.store != store {
            fault("the file belongs to another store, \(header.store), and is left out")
            return false
        }
        if header.kind != file.kind || header.generation != file.generation {
            fault("the header says \(header.kind.rawValue) of generation \(header.generation)")
        }
        lastTime = max(lastTime, header.time)
        let first = header.firstSequenceNumber
        highest = max(highest, first.previous)
        highestHeld = max(highestHeld, first.previous)
        // Behind a snapshot the logs go on from its end. Behind a log the records tell where they go on:
        // a header that says another number is damaged itself.
        if expected == nil { expected = first }
        return true
    }

    // MARK: Records

    /// `reason`: why no record at this place is kept, where none is.
    private mutating func readLog(
        _ line: ScannedLine,
        _ name: String,
        _ number: Int32,
        leavingOut reason: SalvageReport.LeftOut.Reason?
    ) {
        guard case .record(let record, let place) = line else {
            note(line, name, reason == .tornTail ? "it stands behind a torn tail" : nil)
            return
        }
        // The number behind the last that there can be is none.
        guard record.sequenceNumber < .highest else { return leaveOut(record, place, name, .outOfOrder) }
        see(record, place, isHeld: reason == nil)
        if reason == .tornTail { return leaveOut(record, place, name, .tornTail) }
        if place.isInsideDamagedLine { return leaveOut(record, place, name, .insideDamagedLine) }
        if record.isAheadOfItself { return leaveOut(record, place, name, .misplaced) }
        let sequenceNumber = record.sequenceNumber
        if reason != nil || expected.map({ sequenceNumber < $0 }) ?? false {
            return leaveOut(record, place, name, .outOfOrder)
        }
        if let expected, sequenceNumber > expected {
            leaveOutBatch(name)
            miss(expected, sequenceNumber.previous)
        }
        expected = sequenceNumber.next
        let id = record.operation == .mark ? nil : CanonicalID(verified: record.id)
        batch.append((id, LiveIndex.Location(record, at: place.offset, in: number)))
        guard !record.more else { return }
        for (id, location) in batch {
            report.soundRecords += 1
            id?.spelling.withUnsafeBytes { keep(location, $0, from: .log) }
        }
        batch.removeAll(keepingCapacity: true)
    }

    /// The record with the highest number of an id counts, whichever file it is in. Of two with one number
    /// it is as with two ids: a log's, else the newer file's.
    mutating func keep(
        _ location: LiveIndex.Location,
        _ id: UnsafeRawBufferPointer,
        from kind: FileHeader.Kind
    ) {
        if let other = index.location(of: id) {
            if other.sequenceNumber > location.sequenceNumber { return }
            if other.sequenceNumber == location.sequenceNumber, kind == .snapshot,
                files[Int(other.file)].kind == .log
            {
                return
            }
        }
        index.set(id, location)
    }

    mutating func see(_ record: Record, _ place: LinePlace, isHeld: Bool = true) {
        var number = record.sequenceNumber
        if let synced = record.synced, !record.isAheadOfItself { number = max(number, synced) }
        if place.isInsideDamagedLine {
            // A number that may have been given away must not be used again. One that so many bytes cannot
            // have come to is part of a value, and would use up the numbers of the new store.
            let lines = place.offset / Self.shortestLine
            guard number.rawValue <= (expected ?? .first).rawValue + lines else { return }
        } else {
            lastTime = max(lastTime, record.time)
        }
        highest = max(highest, number)
        if isHeld { highestHeld = max(highestHeld, number) }
    }

    /// In bytes: fewer than any record has.
    private static let shortestLine: UInt64 = 50
}

extension ScannedLine {
    fileprivate var isInvalid: Bool {
        if case .invalid = self { true } else { false }
    }
}

extension Record {
    /// Whether it says that a record was synced which was not written yet.
    var isAheadOfItself: Bool {
        synced.map { $0 >= sequenceNumber } ?? false
    }
}
