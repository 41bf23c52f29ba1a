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
        let sources = try SalvageSources(source)
        reading = SalvageReading(source, sources)
        for file in sources.files { try reading.read(file) }
        reading.finish()
    }

    package var report: SalvageReport { reading.report }

    /// The names of the files that were read, those of another store included.
    package var sources: [String] { reading.files.map(\.name) }

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
}
