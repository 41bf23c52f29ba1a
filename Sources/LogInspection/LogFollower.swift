import LogFormat
import LogStorage

/// Follows a store's logs beside its writer, over rotations, compactions and restarts.
///
/// It takes no lock, so it never judges: what is no record yet may become one, and is looked at again. A
/// restart may cut records that were not known to be synced and give their numbers away anew; it notices
/// by the checksums of what it has shown.
struct LogFollower {
    /// What a person should know about what was shown.
    enum Event: Hashable {
        /// Records that were shown are gone.
        case cut(SequenceNumber, SequenceNumber)
        /// Records went by unseen.
        case missed(SequenceNumber, SequenceNumber)
        /// For a while the log has not gone on where a record should begin.
        case waiting(StoreFileName, offset: UInt64)
    }

    private let directory: String
    private let fileSystem: any FileSystem
    private let watch: ReadingWatch
    /// The log that is read, and where its next record begins.
    private var generation: UInt64?
    private var position = FilePosition.start
    /// The number of the record there.
    private var next = SequenceNumber.first
    /// Records up to this one have been shown.
    private var shown: SequenceNumber
    /// Logs that were seen and may hold what comes next: open, so that one that a compaction removes can be
    /// read to its end.
    private var held: [UInt64: OpenedFile] = [:]
    private var unsynced = UnsyncedRecords()
    private var lastLine: LastLine?
    private var polls = (idle: 0, from: FilePosition.start)

    /// So many polls without a record where bytes stand are told once: about two seconds.
    private static let patience = 100

    init(
        _ directory: String,
        behind verification: Verification,
        _ fileSystem: any FileSystem,
        _ watch: ReadingWatch
    ) {
        self.directory = directory
        self.fileSystem = fileSystem
        self.watch = watch
        shown = verification.lastSequenceNumber
    }

    /// Takes the records that have come since the last call.
    mutating func poll(
        _ take: (Record, LinePlace, StoreFileName) throws(InspectionError) -> Void
    ) throws(InspectionError) -> Event? {
        while true {
            // The list comes first: a log that has a successor in it is complete when it is read.
            let logs = try Logs(directory, fileSystem, watch)
            try hold(logs)
            guard let generation, let file = held[generation] else { return try skip(to: logs) }
            guard try isUnchanged(file) else { return try rewind(file) }
            let event = try read(file, take)
            guard event == nil, let next = held.keys.filter({ $0 > generation }).min(),
                let successor = held[next],
                let header = try Logs.header(of: successor)
            else {
                return event
            }
            begin(successor.name, header)
            if let event = jump(to: header.firstSequenceNumber) { return event }
        }
    }

    // MARK: Which log

    private mutating func begin(_ name: StoreFileName, _ header: FileHeader) {
        generation = name.generation
        position = .start
        next = header.firstSequenceNumber
        lastLine = nil
        // All before a log's header was synced before it was made.
        unsynced.removeAll()
    }

    /// Opens what is there, anew each time: a restart may have put another file in a log's place.
    private mutating func hold(_ logs: Logs) throws(InspectionError) {
        let lowest = generation ?? 0
        held = held.filter { $0.key >= lowest }
        for (generation, file) in held { held[generation] = try file.measured() }
        for name in logs.names where name.generation >= lowest {
            if let file = try logs.open(name) { held[name.generation] = file }
        }
    }

    /// Goes on in the log that holds the next record, or in the lowest one there is.
    private mutating func skip(to logs: Logs) throws(InspectionError) -> Event? {
        var start: (StoreFileName, FileHeader)?
        held = held.filter { file in logs.names.contains { $0.generation == file.key } }
        for name in logs.names.reversed() {
            guard let file = held[name.generation], let header = try Logs.header(of: file) else { continue }
            start = (name, header)
            if header.firstSequenceNumber <= shown.next { break }
        }
        guard let (name, header) = start else { return nil }
        begin(name, header)
        return jump(to: header.firstSequenceNumber)
    }

    /// The next record to be read has this number: whether that is not the one behind those shown.
    private mutating func jump(to first: SequenceNumber) -> Event? {
        defer { if first > shown { shown = first.previous } }
        return first > shown.next ? .missed(shown.next, first.previous) : nil
    }

    // MARK: Records

    /// Takes complete batches and single records; what is behind them may be in flight.
    private mutating func read(
        _ file: OpenedFile,
        _ take: (Record, LinePlace, StoreFileName) throws(InspectionError) -> Void
    ) throws(InspectionError) -> Event? {
        let end = try completeEnd(file)
        guard end > position.offset else { return try wait(file) }
        var reader = FileReader(file, from: position, to: end)
        while let line = try reader.next() {
            switch line {
            case .record(let record, let place):
                if record.sequenceNumber > shown {
                    try take(record, place, file.name)
                    shown = record.sequenceNumber
                }
                unsynced.append(record)
                lastLine = LastLine(record, place)
                next = record.sequenceNumber.next
                position = place.end
            case .header(_, let place): position = place.end
            case .padding: break
            case .footer, .invalid: throw .changed(path: file.path)
            }
        }
        return nil
    }

    /// Behind the last complete batch or single record that follows from where the reading stands.
    private func completeEnd(_ file: OpenedFile) throws(InspectionError) -> UInt64 {
        guard position.offset < file.length else { return position.offset }
        var reader = FileReader(file, from: position)
        var end = position.offset
        var expected = next
        while let line = try reader.next() {
            switch line {
            case .record(let record, let place):
                guard record.sequenceNumber == expected else { return end }
                expected = expected.next
                if !record.more { end = place.range.upperBound }
            case .header(let header, let place):
                guard place.offset == 0, header.firstSequenceNumber == expected else { return end }
                end = place.range.upperBound
            case .padding: break
            case .footer, .invalid: return end
            }
        }
        return end
    }

    /// Nothing has come: tells once when bytes stand there that do not become a record.
    private mutating func wait(_ file: OpenedFile) throws(InspectionError) -> Event? {
        if polls.from != position { polls = (0, position) }
        polls.idle += 1
        guard polls.idle == Self.patience, try hasBytes(file) else { return nil }
        return .waiting(file.name, offset: position.offset)
    }

    private func hasBytes(_ file: OpenedFile) throws(InspectionError) -> Bool {
        guard position.offset < file.length else { return false }
        var reader = FileReader(file, from: position)
        while let line = try reader.next() {
            guard case .padding = line else { return true }
        }
        return false
    }

    // MARK: What a restart has cut

    /// Whether the last record that was read still stands where it stood.
    private func isUnchanged(_ file: OpenedFile) throws(InspectionError) -> Bool {
        guard let lastLine else { return true }
        guard file.length >= lastLine.place.range.upperBound else { return false }
        let line = try file.bytes(lastLine.place.range)
        return lastLine.checksum == line.withUnsafeBytes { CRC32C.checksum($0) }
    }

    /// Reads the log anew from its start, and finds which of the records that were shown are still in it.
    private mutating func rewind(_ file: OpenedFile) throws(InspectionError) -> Event? {
        var reader = FileReader(file)
        var last = SequenceNumber.zero
        position = .start
        lastLine = nil
        scan: while let line = try reader.next() {
            switch line {
            case .header(let header, _):
                next = header.firstSequenceNumber
                last = next.previous
            case .record(let record, _):
                guard record.sequenceNumber == last.next, unsynced.mayHold(record) else { break scan }
                last = record.sequenceNumber
            case .padding: break
            case .footer, .invalid: break scan
            }
        }
        unsynced.removeAll()
        guard last < shown else { return nil }
        defer { shown = last }
        return .cut(last.next, shown)
    }
}

/// The record that was read last.
private struct LastLine {
    let place: LinePlace
    let checksum: UInt32

    init(_ record: Record, _ place: LinePlace) {
        self.place = place
        checksum = CRC32C.checksum(record.line)
    }
}

/// Records that a crash may still take away: those that no line has called synced.
private struct UnsyncedRecords {
    private var checksums: [SequenceNumber: UInt32] = [:]
    private var lowest = SequenceNumber.first

    /// Those before are forgotten: a writer that never syncs must not fill the memory.
    private static let limit = 200_000

    mutating func append(_ record: Record) {
        if checksums.isEmpty { lowest = record.sequenceNumber }
        checksums[record.sequenceNumber] = CRC32C.checksum(record.line)
        let synced = record.synced ?? .zero
        while !checksums.isEmpty, lowest <= synced || checksums.count > Self.limit {
            checksums[lowest] = nil
            lowest = lowest.next
        }
    }

    /// Whether a record is the one that had its number before, as far as is known.
    func mayHold(_ record: Record) -> Bool {
        checksums[record.sequenceNumber].map { $0 == CRC32C.checksum(record.line) } ?? true
    }

    mutating func removeAll() {
        checksums.removeAll()
    }
}

/// The logs that a directory has at one moment.
private struct Logs {
    let names: [StoreFileName]
    private let directory: String
    private let fileSystem: any FileSystem
    private let watch: ReadingWatch

    init(_ directory: String, _ fileSystem: any FileSystem, _ watch: ReadingWatch) throws(InspectionError) {
        self.directory = directory
        self.fileSystem = fileSystem
        self.watch = watch
        let listed = try storage { () throws(StorageError) in try fileSystem.names(in: directory) }
        guard let listed else { throw .noStore("There is no directory \(directory) any longer.") }
        names = listed.compactMap(StoreFileName.init).filter { $0.kind == .log }.sorted()
    }

    /// Nil when it has vanished.
    func open(_ name: StoreFileName) throws(InspectionError) -> OpenedFile? {
        let path = "\(directory)/\(name)"
        return try storage { () throws(StorageError) -> OpenedFile? in
            guard let file = try fileSystem.openForReading(path) else { return nil }
            return OpenedFile(name: name, path: path, file: file, length: try file.length(), watch: watch)
        }
    }

    static func header(of file: OpenedFile) throws(InspectionError) -> FileHeader? {
        var reader = FileReader(file, windowSize: 4096)
        while let line = try reader.next() {
            switch line {
            case .header(let header, _): return header
            case .padding: continue
            case .record, .footer, .invalid: return nil
            }
        }
        return nil
    }
}
