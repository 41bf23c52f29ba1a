package import LogFormat
package import LogStorage

/// Merges a snapshot and the logs that continue it into a new snapshot, byte for byte.
package struct Compactor {
    private let directory: StoreDirectory
    private let mode: FileMode

    package init(_ directory: StoreDirectory, mode: FileMode) {
        self.directory = directory
        self.mode = mode
    }

    /// Writes the snapshot of `header` from `files`, in their order.
    ///
    /// The first pass goes over the logs and finds the last record of each id in them; the second copies
    /// what survives and verifies each checksum on the way. Memory grows with the ids in the logs, not
    /// with the store. Deletes numbered `header.deletesSince` and above are copied too.
    ///
    /// On failure nothing but the temporary file was touched, and it is removed.
    package func merge(_ files: [StorePlan.File], into header: FileHeader) throws(EngineError) {
        let newest = try lastRecords(of: files)
        var target = try begin(StoreDirectory.snapshotName(header.generation))
        do throws(EngineError) {
            try copy(files, newest, header, &target)
        } catch {
            throw abandon(target, after: error)
        }
        try publish(target)
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

    /// Removes the unfinished file and returns the error to throw. A file that cannot be removed either
    /// is cleared by the next opening.
    private func abandon(_ target: consuming AtomicReplace, after error: EngineError) -> EngineError {
        var error = error
        do throws(StorageError) {
            try target.abandon()
        } catch let removal {
            error.message += " The unfinished file could not be removed either: \(removal.reason)."
        }
        return error
    }

    /// Where the last record of each id in the logs stands.
    private func lastRecords(of files: [StorePlan.File]) throws(EngineError) -> LiveIndex {
        var index = LiveIndex()
        for (number, file) in files.enumerated() where file.kind == .log {
            try scan(file) { (record, offset) throws(EngineError) in
                guard record.operation != .mark else { return }
                index.set(record.id, LiveIndex.Location(record, at: offset, in: Int32(number)))
            }
        }
        return index
    }

    private func copy(
        _ files: [StorePlan.File],
        _ newest: LiveIndex,
        _ header: FileHeader,
        _ target: inout AtomicReplace
    ) throws(EngineError) {
        var encoder = RecordEncoder()
        encoder.appendHeader(header)
        try append(encoder.bytes, to: &target)
        let deletesSince = header.deletesSince ?? header.firstSequenceNumber
        var count: UInt64 = 0
        for (number, file) in files.enumerated() {
            try scan(file) { (record, offset) throws(EngineError) in
                switch record.operation {
                case .mark: return
                case .delete where record.sequenceNumber < deletesSince: return
                case .delete, .put: break
                }
                if let last = newest.location(of: record.id),
                    last.lineOffset != offset || last.file != Int32(number)
                {
                    return
                }
                count += 1
                try io { () throws(StorageError) in try target.append(record.line) }
            }
        }
        encoder.removeAll()
        encoder.appendFooter(SnapshotFooter(records: count))
        try append(encoder.bytes, to: &target)
        try io { () throws(StorageError) in try target.sync() }
    }

    private func append(_ bytes: [UInt8], to target: inout AtomicReplace) throws(EngineError) {
        try io { () throws(StorageError) in try target.append(bytes) }
    }

    /// Hands the records of a file to `body`; bytes that are none abort.
    private func scan(
        _ file: StorePlan.File,
        _ body: (Record, UInt64) throws(EngineError) -> Void
    ) throws(EngineError) {
        let path = directory.path(of: file.name)
        let source = try io { () throws(StorageError) in
            guard let source = try directory.fileSystem.openForReading(path) else {
                throw StorageError(.open, path, code: 0, reason: "the file has vanished")
            }
            return source
        }
        try FileScan.lines(of: source, path: path, length: file.length) { (line) throws(EngineError) in
            switch line {
            case .record(let record, let place): try body(record, place.offset)
            case .header, .footer, .padding: break
            case .invalid(let bytes, let place):
                let corruption = Corruption(place, in: file.name, reason: bytes.reason.description)
                throw EngineError(corruption, in: directory.path)
            }
            return true
        }
    }
}
