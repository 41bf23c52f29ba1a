package import LogFormat
package import LogStorage

/// A mutation as it goes into a record, encoded by whoever asked for it.
package struct EncodedMutation: Sendable {
    package enum Operation: Sendable {
        /// The value is JSON text without a raw LF.
        case put(value: [UInt8], schema: UInt64)
        case delete
    }

    package var id: CanonicalID
    package var operation: Operation

    package init(id: CanonicalID, operation: Operation) {
        self.id = id
        self.operation = operation
    }
}

/// The end of the highest log: takes the next numbers, composes the lines and writes them in one call.
///
/// It writes and never syncs. The caller syncs `file` and reports with `didSync`, so that the wait can
/// happen where it holds nobody up.
package struct LogAppender {
    /// A point up to which the log's bytes are complete records.
    package struct Position: Hashable, Sendable {
        package var sequenceNumber: SequenceNumber
        /// In bytes.
        package var offset: UInt64

        package init(sequenceNumber: SequenceNumber, offset: UInt64) {
            self.sequenceNumber = sequenceNumber
            self.offset = offset
        }
    }

    /// Nil once the log was given up.
    package private(set) var file: (any StorageFile)?
    private var path: String
    /// The end of the last record that was written whole.
    package private(set) var written: Position
    /// The end of the last record that is known to be on stable storage.
    package private(set) var stable: Position
    /// The highest `synced` that the file says.
    private var said: SequenceNumber
    /// The time of the last record, in milliseconds since 1970-01-01 UTC.
    package private(set) var lastTime: Int64
    private var endsInMark: Bool
    /// Whether the file has a record or a mark.
    package private(set) var hasRecords: Bool
    private let now: @Sendable () -> Int64
    private let largestRecord: Int
    private var encoder = RecordEncoder()
    /// Nil when the log is to grow record by record.
    private var space: SpaceAhead?

    /// Whether bytes were cut back that the next sync has to make stable before anything is appended.
    package private(set) var needsSyncBeforeAppend = false
    /// How often bytes were cut back: a sync that began before a cut does not cover it.
    private var cuts = 0
    /// How many logs were left.
    private var rotations = 0
    /// Why nothing may be written until the store is opened again.
    package private(set) var poison: EngineError?
    /// Whether that is a sync: then no other one may be tried, since its success would prove nothing.
    package private(set) var syncHasFailed = false

    /// At the end of the highest log of a plan that was carried out, where all is stable.
    ///
    /// With `space` the file is longer than its records, for the sake of who syncs after each of them.
    package init(
        _ plan: StorePlan,
        _ file: any StorageFile,
        _ directory: StoreDirectory,
        largestRecord: Int,
        space: SpaceAhead? = nil,
        now: @escaping @Sendable () -> Int64
    ) {
        self.file = file
        path = directory.path(of: plan.highestLog.name)
        written = Position(sequenceNumber: plan.lastSequenceNumber, offset: plan.highestLog.length)
        stable = written
        said = plan.synced
        lastTime = plan.lastTime
        endsInMark = plan.highestLogEndsInMark
        hasRecords = plan.highestLogHasRecords
        self.largestRecord = min(largestRecord, LogScanner.longestLine)
        self.now = now
        self.space = space
    }

    /// Whether a sync has something to do: records, or the end of what a failed append left.
    ///
    /// The second matters where no record waits: a mark written over bytes whose cutting back a power
    /// cut can still undo would leave them behind it, and they may be sound records.
    package var hasUnsynced: Bool { stable != written || needsSyncBeforeAppend }

    /// The times of the records written from here on, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 { max(lastTime, now()) }

    /// Writes the mutations as one batch, whole or not at all, and returns the number of the first.
    ///
    /// On failure the file is cut back to its end before the call. Only if that fails too is the log
    /// poisoned, and the error says that the outcome is unknown: opening may find what was written.
    package mutating func append(_ mutations: [EncodedMutation]) throws(EngineError) -> SequenceNumber {
        let file = try usableFile()
        precondition(
            !mutations.isEmpty && !needsSyncBeforeAppend,
            "There is something to write, and it may be written."
        )
        let first = written.sequenceNumber.next
        guard written.sequenceNumber.rawValue + UInt64(mutations.count) <= SequenceNumber.highest.rawValue
        else {
            throw EngineError(.numbersExhausted, "\(path) has used up the sequence numbers of its format.")
        }
        let time = self.time
        let synced = stable.sequenceNumber > said ? stable.sequenceNumber : nil
        encoder.removeAll()
        for (index, mutation) in mutations.enumerated() {
            let start = encoder.bytes.count
            let head = RecordHead(
                sequenceNumber: first.advanced(by: index),
                time: time,
                synced: index == 0 ? synced : nil,
                more: index < mutations.count - 1
            )
            switch mutation.operation {
            case .put(let value, let schema):
                encoder.appendPut(head, schema: schema, id: mutation.id.spelling, value: value)
            case .delete:
                encoder.appendDelete(head, id: mutation.id.spelling)
            }
            try checkSize(encoder.bytes.count - start, mutation.id)
        }
        try write(to: file, upTo: first.advanced(by: mutations.count - 1))
        lastTime = time
        if let synced { said = synced }
        (endsInMark, hasRecords) = (false, true)
        return first
    }

    /// Cuts off what was written ahead of the records. Before a mark, and before the next log is begun.
    ///
    /// A power cut may undo it until the next sync, which harms nothing: it is padding.
    /// False when there was none.
    package mutating func cutSpaceAhead() throws(EngineError) -> Bool {
        guard let space, space.end > written.offset else { return false }
        let file = try usableFile()
        try io { () throws(StorageError) in try file.truncate(to: written.offset) }
        self.space?.wasCut()
        return true
    }

    /// Writes the mark of a clean close; false when there is nothing to say.
    ///
    /// All records must be known to be stable: the mark makes every damaged byte before it recognisable.
    package mutating func appendMark() throws(EngineError) -> Bool {
        let file = try usableFile()
        precondition(!hasUnsynced, "A mark is written only after a successful sync.")
        let number = written.sequenceNumber.next
        guard hasRecords, !endsInMark, number <= .highest else { return false }
        _ = try cutSpaceAhead()
        // The mark is the end of the file.
        space = nil
        encoder.removeAll()
        encoder.appendMark(RecordHead(sequenceNumber: number, time: time, synced: written.sequenceNumber))
        try write(to: file, upTo: number)
        endsInMark = true
        return true
    }

    /// What a sync that begins at this moment covers.
    package struct SyncPoint: Sendable {
        package var position: Position
        fileprivate var cuts: Int
        fileprivate var rotations: Int
    }

    package var syncPoint: SyncPoint { SyncPoint(position: written, cuts: cuts, rotations: rotations) }

    /// A sync that began at `point` has succeeded.
    package mutating func didSync(_ point: SyncPoint) {
        // Behind a failed sync the success of another proves nothing, and of a log before nothing about this one.
        guard !syncHasFailed, point.rotations == rotations else { return }
        if point.position.offset > stable.offset { stable = point.position }
        if point.cuts == cuts { needsSyncBeforeAppend = false }
    }

    /// A sync failed: nothing is known about what it was to make stable, and nothing more is written.
    ///
    /// With `cutBack` the file is cut to what is known to be stable, if that works, so that reopening
    /// does not find what nobody was told is there. It is not synced again. A mark that the sync was to
    /// make stable is cut in every case: opening trusts a log that ends in one.
    package mutating func syncFailed(_ error: StorageError, cutBack: Bool) {
        syncHasFailed = true
        guard poison == nil else { return }
        var message = """
            A sync of \(path) failed (\(error.reason)). Close the store and open it again: what was being saved \
            may or may not be there then, everything acknowledged is. Until then reads go on and nothing is written.
            """
        if cutBack || endsInMark && hasUnsynced, let file {
            do throws(StorageError) {
                try file.truncate(to: stable.offset)
            } catch {
                message += " The file could not be cut back either: \(error.reason)."
            }
        }
        poison = EngineError(.poisoned, message, cause: error)
    }

    /// Gives the file up; with its last reference it is closed.
    package mutating func close() {
        file = nil
    }

    /// Ends writing until the store is opened again.
    package mutating func poison(_ error: EngineError) {
        if poison == nil { poison = error }
    }

    /// Goes on in the log that `header` begins, whose file ends with it.
    package mutating func rotate(to file: any StorageFile, path: String, _ header: FileHeader)
        throws(EngineError)
    {
        precondition(!hasUnsynced, "A log is left only when all of it is stable.")
        space?.reset()
        rotations += 1
        let length = try io { () throws(StorageError) in try file.length() }
        self.file = file
        self.path = path
        written.offset = length
        stable.offset = length
        said = header.firstSequenceNumber.previous
        lastTime = max(lastTime, header.time)
        (endsInMark, hasRecords) = (false, false)
    }

    // MARK: Writing

    private func usableFile() throws(EngineError) -> any StorageFile {
        if let poison { throw poison }
        guard let file else { throw EngineError(.closed, "\(path) was closed.") }
        return file
    }

    private func checkSize(_ size: Int, _ id: CanonicalID) throws(EngineError) {
        guard size > largestRecord else { return }
        throw EngineError(
            .recordTooLarge,
            "The record of \(id) has \(size) bytes, and the largest that this store takes is \(largestRecord)."
        )
    }

    private mutating func write(
        to file: any StorageFile,
        upTo last: SequenceNumber
    ) throws(EngineError) {
        space?.prepare(file, at: written.offset, count: encoder.bytes.count)
        do throws(StorageError) {
            try file.write(encoder.bytes, at: written.offset)
        } catch {
            // The file may have been made under a temporary name that stands for nothing by now.
            var cause = error
            cause.path = path
            do throws(StorageError) {
                try file.truncate(to: written.offset)
                space?.wasCut()
                needsSyncBeforeAppend = true
                cuts += 1
            } catch {
                let message = """
                    Writing to \(path) failed (\(cause.reason)), and cutting the file back failed too (\(error.reason)). \
                    Close the store and open it again: what was being saved may or may not be there then, everything \
                    acknowledged is. Until then reads go on and nothing is written.
                    """
                poison = EngineError(.poisoned, message, cause: cause)
                throw EngineError(.outcomeUnknown, message, cause: cause)
            }
            throw EngineError(cause)
        }
        written = Position(sequenceNumber: last, offset: written.offset + UInt64(encoder.bytes.count))
    }
}
