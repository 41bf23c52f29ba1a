import LogFormat
package import LogStorage

/// Saves every sound record of a damaged store into a new one, and changes nothing in the damaged one.
///
/// It is asked for by name, never chosen by the library. Memory grows with the ids, not with the files.
package struct Salvage {
    private let source: StoreDirectory
    private var reading: SalvageReading

    /// Reads the store and judges what can be saved; writes nothing.
    ///
    /// - Throws: `.io` when a file cannot be read, `.newerFormat`, `.filesMissing` when there is nothing.
    package init(of source: StoreDirectory) throws(EngineError) {
        self.source = source
        let files = try Self.sources(of: source)
        reading = SalvageReading(source, isContinuing: files.first?.kind == .snapshot)
        for file in files { try reading.read(file) }
        reading.finish()
    }

    package var report: SalvageReport { reading.report }

    /// Writes the new store. `target` must not exist or be empty.
    package mutating func write(
        to target: StoreDirectory,
        store: String,
        fileMode: FileMode,
        directoryMode: FileMode
    ) throws(EngineError) -> SalvageReport {
        if let names = try io({ () throws(StorageError) in try target.fileSystem.names(in: target.path) }),
            !names.isEmpty
        {
            throw EngineError(.targetExists, "\(target.path) exists and is not empty. Name a new directory.")
        }
        try StoreCreation.directory(target, mode: directoryMode)
        var header = FileHeader(
            kind: .snapshot,
            store: store,
            generation: report.generation,
            firstSequenceNumber: report.firstSequenceNumber,
            deletesSince: report.firstSequenceNumber,
            time: reading.lastTime
        )
        try writeSnapshot(header, to: target, fileMode)
        header.kind = .log
        header.deletesSince = nil
        _ = try StoreCreation.log(header, in: target, mode: fileMode)
        reading.report.store = store
        return report
    }

    private func writeSnapshot(
        _ header: FileHeader,
        to target: StoreDirectory,
        _ mode: FileMode
    ) throws(EngineError) {
        let name = StoreDirectory.snapshotName(header.generation)
        var copy: AtomicReplace
        do throws(StorageError) {
            copy = try AtomicReplace(name, in: target.path, of: target.fileSystem, mode: mode)
        } catch {
            throw EngineError(error)
        }
        do throws(EngineError) {
            try writeRecords(header, to: &copy)
        } catch {
            throw abandoning(copy, after: error)
        }
        do throws(StorageError) {
            _ = try copy.publish()
        } catch {
            throw EngineError(error)
        }
    }

    /// The kept lines, byte for byte, in the order of their numbers.
    private func writeRecords(_ header: FileHeader, to copy: inout AtomicReplace) throws(EngineError) {
        var encoder = RecordEncoder()
        encoder.appendHeader(header)
        try io { () throws(StorageError) in try copy.append(encoder.bytes) }
        var reader = ValueReader(source, reading.files)
        for slot in reading.kept {
            let line = try reader.line(at: reading.index.location(at: slot))
            try io { () throws(StorageError) in try copy.append(line) }
        }
        encoder.removeAll()
        encoder.appendFooter(SnapshotFooter(records: UInt64(reading.kept.count)))
        try io { () throws(StorageError) in
            try copy.append(encoder.bytes)
            try copy.sync()
        }
    }

    // MARK: What is read

    /// The files to read, in order: those that opening would replay if it would; otherwise every file
    /// from the newest sound snapshot on, or every file.
    private static func sources(of source: StoreDirectory) throws(EngineError) -> [SalvageReading.Source] {
        do throws(EngineError) {
            switch try Recovery.plan(source) {
            case .store(let plan):
                var sources = plan.files.map { SalvageReading.Source($0.kind, $0.generation, tail: nil) }
                if plan.cut != nil { sources[sources.count - 1].tail = plan.highestLog.length }
                return sources
            case .absent, .unfinishedImport:
                throw EngineError(
                    .filesMissing,
                    "\(source.path) holds no store, so there is nothing to save."
                )
            }
        } catch {
            guard error.code == .corruption else { throw error }
        }
        guard let listing = try source.listing() else { return [] }
        var base: UInt64 = 0
        for generation in listing.snapshots.reversed() where try isSound(generation, source) {
            base = generation
            break
        }
        var sources: [SalvageReading.Source] = []
        let generations = Set(listing.logs + listing.snapshots).filter { $0 >= base }.sorted()
        for generation in generations {
            for (kind, all) in [(FileHeader.Kind.snapshot, listing.snapshots), (.log, listing.logs)]
            where all.contains(generation) {
                let isHighest = kind == .log && generation == listing.logs.last
                let tail = isHighest ? try tornTail(generation, source) : nil
                sources.append(SalvageReading.Source(kind, generation, tail: tail))
            }
        }
        return sources
    }

    private static func isSound(_ generation: UInt64, _ source: StoreDirectory) throws(EngineError) -> Bool {
        let name = StoreDirectory.snapshotName(generation)
        var seen = SnapshotObservations { header in
            header.kind == .snapshot && header.generation == generation
                ? nil : "the header does not fit the name"
        }
        let length = try SalvageReading.lines(of: name, source) { _ = seen.observe($0) }
        return seen.verdict(file: name, length: length) == nil
    }

    /// Where the torn tail of the highest log begins, or nil when it has none.
    private static func tornTail(_ generation: UInt64, _ source: StoreDirectory) throws(EngineError)
        -> UInt64?
    {
        let name = StoreDirectory.logName(generation)
        var seen = LogObservations { _ in nil }
        let length = try SalvageReading.lines(of: name, source) { _ = seen.observe($0) }
        if case .tornTail = LogVerdict.onHighest(seen, file: name, length: length) { return seen.end }
        return nil
    }
}
