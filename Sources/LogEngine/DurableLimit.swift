import LogFormat
import LogStorage

/// How far a store that another process writes is known to be stable: for readers without the lock.
///
/// A record is known to be stable once a later line, or the header of a later log, says so. What stands
/// behind that may be cut when its writer crashes, and other records may take its numbers.
package struct DurableLimit {
    private let directory: StoreDirectory
    private var last: LogCursor.Limit?
    /// The line that begins at `last.offset`.
    private var line: UInt64 = 1

    package init(_ directory: StoreDirectory) {
        self.directory = directory
    }

    /// The limit as the files tell it at this moment; nil when there is no store.
    ///
    /// Only what is new since the last call is read. Damage that is seen may be an append in flight: it
    /// ends what can be known and is no error here.
    package mutating func current() throws(EngineError) -> LogCursor.Limit? {
        guard let listing = try directory.listing(), let highest = listing.logs.last else { return nil }
        if last?.generation != highest { try begin(highest) }
        guard let begun = last else { return nil }
        try extend(begun)
        return last
    }

    private func open(_ generation: UInt64) throws(EngineError) -> (file: any StorageFile, length: UInt64)? {
        let path = directory.path(of: StoreDirectory.logName(generation))
        return try io { () throws(StorageError) in
            guard let file = try directory.fileSystem.openForReading(path) else { return nil }
            return (file, try file.length())
        }
    }

    /// The header of a log says that all before it is stable.
    private mutating func begin(_ generation: UInt64) throws(EngineError) {
        last = nil
        guard let (file, length) = try open(generation) else { return }
        var found: LogCursor.Limit?
        var next: UInt64 = 1
        let path = directory.path(of: StoreDirectory.logName(generation))
        try FileScan.lines(of: file, path: path, length: length) { (line) throws(EngineError) in
            if case .padding = line { return true }
            if case .header(let header, let place) = line {
                found = LogCursor.Limit(
                    generation: generation,
                    offset: place.range.upperBound,
                    sequenceNumber: header.firstSequenceNumber.previous
                )
                next = place.line + 1
            }
            return false
        }
        last = found
        line = next
    }

    private mutating func extend(_ begun: LogCursor.Limit) throws(EngineError) {
        guard let (file, length) = try open(begun.generation), length > begun.offset else { return }
        var limit = begun
        var line = self.line
        /// The ends of the records behind the limit.
        var ends: [(number: SequenceNumber, offset: UInt64, line: UInt64)] = []
        var taken = 0
        let path = directory.path(of: StoreDirectory.logName(begun.generation))
        try FileScan.lines(of: file, path: path, from: begun.offset, line: self.line, length: length) {
            (found) throws(EngineError) in
            switch found {
            case .padding: return true
            case .header, .footer, .invalid: return false
            case .record(let record, let place):
                let expected = ends.last?.number.next ?? limit.sequenceNumber.next
                guard record.sequenceNumber == expected, !place.isInsideDamagedLine else { return false }
                if let synced = record.synced {
                    while taken < ends.count, ends[taken].number <= synced {
                        limit.sequenceNumber = ends[taken].number
                        limit.offset = ends[taken].offset
                        line = ends[taken].line
                        taken += 1
                    }
                }
                ends.append((record.sequenceNumber, place.range.upperBound, place.line + 1))
                return true
            }
        }
        last = limit
        self.line = line
    }
}
