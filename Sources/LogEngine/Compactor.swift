package import LogFormat
package import LogStorage
import Synchronization

/// Merges a snapshot and the logs that continue it into a new snapshot, byte for byte.
package struct Compactor: Sendable {
    /// How far a merge has come, and the wish that it stop; shared with whoever watches it.
    package final class Progress: Sendable {
        private let done = Atomic<UInt64>(0)
        private let total = Atomic<UInt64>(0)
        private let isStopped = Atomic(false)
        private let saves = Atomic<UInt64>(0)
        private let watcher: (@Sendable (Double) -> Void)?

        /// `watcher` is told how far the merge has come, on the merge's thread and often.
        package init(watcher: (@Sendable (Double) -> Void)? = nil) {
            self.watcher = watcher
        }

        /// Someone saves while the merge runs, so that it makes room.
        package func noteSave() {
            saves.add(1, ordering: .relaxed)
        }

        fileprivate var saveCount: UInt64 { saves.load(ordering: .relaxed) }

        /// From 0 to 1.
        package var fraction: Double {
            let total = total.load(ordering: .relaxed)
            return total == 0 ? 0 : min(1, Double(done.load(ordering: .relaxed)) / Double(total))
        }

        /// Makes the merge fail soon, with `.closed`.
        package func stop() {
            isStopped.store(true, ordering: .relaxed)
        }

        fileprivate func begin(_ bytes: UInt64) {
            total.store(bytes, ordering: .relaxed)
        }

        fileprivate func advance(_ bytes: UInt64) throws(EngineError) {
            done.add(bytes, ordering: .relaxed)
            watcher?(fraction)
            if isStopped.load(ordering: .relaxed) {
                throw EngineError(.closed, "The compaction was given up because the store was closed.")
            }
        }
    }

    private let directory: StoreDirectory
    private let mode: FileMode
    private let progress: Progress
    /// After so many bytes the copy is synced, so that no sync of a saver has to wait for all of it.
    private static let syncInterval: UInt64 = 2 << 20
    package init(_ directory: StoreDirectory, mode: FileMode, progress: Progress = Progress()) {
        self.directory = directory
        self.mode = mode
        self.progress = progress
    }

    /// Writes the snapshot of `header` from `files`, in their order, and returns its description.
    ///
    /// The first pass goes over the logs and finds the last record of each id in them; the second copies
    /// what survives and verifies each checksum on the way. Memory grows with the ids in the logs, not
    /// with the store. Deletes numbered `header.deletesSince` and above are copied too.
    ///
    /// Every record of the sources must be there, from each one's first to the one before the next's:
    /// what is lost without a trace in the bytes must not be lost for good with the sources.
    ///
    /// On failure nothing but the temporary file was touched, and it is removed.
    package func merge(_ files: [StorePlan.File], into header: FileHeader) throws(EngineError)
        -> StorePlan.File
    {
        let logs = files.filter { $0.kind == .log }
        progress.begin(files.reduce(0) { $0 + $1.length } + logs.reduce(0) { $0 + $1.length })
        let ends = files.dropFirst().map(\.firstSequenceNumber) + [header.firstSequenceNumber]
        let files = zip(files, ends).map { MergeSource(file: $0, end: $1) }
        let newest = try lastRecords(of: files)
        let name = StoreDirectory.snapshotName(header.generation)
        var target = try begin(name)
        do throws(EngineError) {
            try copy(files, newest, header, &target)
        } catch {
            throw abandoning(target, after: error)
        }
        let length = target.length
        try publish(target)
        return StorePlan.File(
            name: name,
            kind: .snapshot,
            generation: header.generation,
            length: length,
            firstSequenceNumber: header.firstSequenceNumber
        )
    }

    private func begin(_ name: String) throws(EngineError) -> AtomicReplace {
        do throws(StorageError) {
            return try AtomicReplace(name, in: directory.path, of: directory.fileSystem, mode: mode)
        } catch {
            throw EngineError(error)
        }
    }

    private func publish(_ target: consuming AtomicReplace) throws(EngineError) {
        do throws(StorageError) {
            _ = try target.publish()
        } catch {
            throw EngineError(error)
        }
    }

    /// Where the last record of each id in the logs stands.
    private func lastRecords(of files: [MergeSource]) throws(EngineError) -> LiveIndex {
        var index = LiveIndex()
        for (number, source) in files.enumerated() where source.file.kind == .log {
            try scan(source) { (record, offset) throws(EngineError) in
                guard record.operation != .mark else { return }
                index.set(record.id, LiveIndex.Location(record, at: offset, in: Int32(number)))
            }
        }
        return index
    }

    private func copy(
        _ files: [MergeSource],
        _ newest: LiveIndex,
        _ header: FileHeader,
        _ target: inout AtomicReplace
    ) throws(EngineError) {
        var encoder = RecordEncoder()
        encoder.appendHeader(header)
        try append(encoder.bytes, to: &target)
        let deletesSince = header.deletesSince ?? header.firstSequenceNumber
        var count: UInt64 = 0
        var rhythm = Rhythm(progress)
        try survivors(of: files, newest) { (record) throws(EngineError) in
            if record.operation == .delete, record.sequenceNumber < deletesSince { return }
            count += 1
            try io { () throws(StorageError) in
                try target.append(record.line)
                guard target.length - rhythm.synced >= Self.syncInterval else { return }
                try target.sync()
                rhythm.rest(at: target.length)
            }
        }
        encoder.removeAll()
        encoder.appendFooter(SnapshotFooter(records: count))
        try append(encoder.bytes, to: &target)
        try io { () throws(StorageError) in try target.sync() }
    }

    /// Hands over the last record of each id in the order of the files, each read and verified anew.
    ///
    /// Of the logs these lines alone are read: the first pass has seen that all others are there.
    private func survivors(
        of files: [MergeSource],
        _ newest: LiveIndex,
        _ body: (Record) throws(EngineError) -> Void
    ) throws(EngineError) {
        for source in files where source.file.kind == .snapshot {
            try scan(source) { (record, _) throws(EngineError) in
                if newest.location(of: record.id) == nil { try body(record) }
            }
        }
        var reader = ValueReader(directory, files.map(\.file))
        var pass = LogPass(files)
        for slot in newest.slotsInFileOrder() {
            let location = newest.location(at: slot)
            let line = try reader.line(at: location)
            guard let record = Record(verifying: line), record.sequenceNumber == location.sequenceNumber
            else {
                throw try changed(files[Int(location.file)], location)
            }
            try body(record)
            try progress.advance(pass.reach(location))
        }
        try progress.advance(pass.rest)
    }

    /// What is wrong with a log whose line is no longer what the first pass has seen there.
    private func changed(_ source: MergeSource, _ location: LiveIndex.Location) throws(EngineError)
        -> EngineError
    {
        // Another scan tells the line's number and what is wrong with it, unless it was the reading.
        try scan(source) { (_, _) throws(EngineError) in }
        let place = LinePlace(
            range: location.lineOffset..<location.lineOffset + UInt64(location.lineLength),
            line: 0
        )
        let reason = "record \(location.sequenceNumber) was read as other bytes than before"
        return EngineError(Corruption(place, in: source.file.name, reason: reason), in: directory.path)
    }

    private func append(_ bytes: [UInt8], to target: inout AtomicReplace) throws(EngineError) {
        try io { () throws(StorageError) in try target.append(bytes) }
    }

    /// Hands the records of a source to `body`; bytes that are none, and records that are missing, abort.
    private func scan(
        _ source: MergeSource,
        _ body: (Record, UInt64) throws(EngineError) -> Void
    ) throws(EngineError) {
        let path = directory.path(of: source.file.name)
        let file = try io { () throws(StorageError) in
            guard let file = try directory.fileSystem.openForReading(path) else {
                throw StorageError.vanished(path)
            }
            return file
        }
        var check = MergeSourceCheck(source)
        var unreported: UInt64 = 0
        try FileScan.lines(of: file, path: path, length: source.file.length) { (line) throws(EngineError) in
            if let reason = check.fault(line) {
                throw EngineError(
                    Corruption(line.place, in: source.file.name, reason: reason),
                    in: directory.path
                )
            }
            if case .record(let record, let place) = line { try body(record, place.offset) }
            unreported += line.place.length
            if unreported >= 64 << 10 {
                try progress.advance(unreported)
                unreported = 0
            }
            return true
        }
        try progress.advance(unreported)
        if let reason = check.faultAtEnd {
            let end = LinePlace(range: source.file.length..<source.file.length, line: 0)
            throw EngineError(Corruption(end, in: source.file.name, reason: reason), in: directory.path)
        }
    }
}

/// Work and rest of a merge: each sync of its own delays one of a saver, and fewer than one in a
/// hundred of theirs should be.
private struct Rhythm {
    /// So many saves pass between two syncs, while there are any.
    private static let savesBetween: UInt64 = 250
    /// And so many times the time that was worked, so that the disk is mostly theirs.
    private static let restFactor = 3
    private static let longestRest: Duration = .milliseconds(100)

    private let progress: Compactor.Progress
    /// The bytes of the copy that are synced.
    private(set) var synced: UInt64 = 0
    private var saves: UInt64
    private var start = ContinuousClock.now

    init(_ progress: Compactor.Progress) {
        self.progress = progress
        saves = progress.saveCount
    }

    /// Rests when someone has saved since the last time.
    mutating func rest(at length: UInt64) {
        synced = length
        if progress.saveCount != saves {
            saves = progress.saveCount
            let now = ContinuousClock.now
            let end = now + Self.longestRest
            BlockingPause.wait(min((now - start) * Self.restFactor, Self.longestRest))
            while progress.saveCount - saves < Self.savesBetween, ContinuousClock.now < end {
                BlockingPause.wait(.milliseconds(2))
            }
            saves = progress.saveCount
        }
        start = ContinuousClock.now
    }
}
