package import LogFormat
package import LogStorage

/// Makes what a store begins with, each step stable before the next.
package enum StoreCreation {
    /// Makes the directory and its missing parents.
    ///
    /// A directory whose name is not stable in its parent would take everything in it along in a power
    /// cut, so each parent is synced, and the parent of the lowest one that was there too: the process
    /// that made that one may have died before it could.
    package static func directory(
        _ directory: StoreDirectory,
        mode: FileMode
    ) throws(EngineError) {
        try io { () throws(StorageError) in
            try make(directory.path, mode: mode, directory.fileSystem)
        }
    }

    private static func make(
        _ path: String,
        mode: FileMode,
        _ fileSystem: any FileSystem
    ) throws(StorageError) {
        guard let parent = parent(of: path) else { return }
        if try fileSystem.kind(of: path) == nil {
            try make(parent, mode: mode, fileSystem)
            _ = try fileSystem.createDirectory(path, mode: mode)
            try fileSystem.syncDirectory(parent)
            return
        }
        do throws(StorageError) {
            try fileSystem.syncDirectory(parent)
        } catch  where error.isPermission {
            // A directory in a place that this process may not even read was not made by it.
        }
    }

    /// Nil for the root and for the working directory.
    private static func parent(of path: String) -> String? {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return path == "." || path == ".." ? nil : "." }
        if slash == path.startIndex { return path.count > 1 ? "/" : nil }
        return String(path[..<slash])
    }

    /// Makes a log that holds its header and nothing else, and returns it open.
    package static func log(
        _ header: FileHeader,
        in directory: StoreDirectory,
        mode: FileMode
    ) throws(EngineError) -> any StorageFile {
        try io { () throws(StorageError) in
            var encoder = RecordEncoder()
            encoder.appendHeader(header)
            let name = StoreDirectory.logName(header.generation)
            var file = try AtomicReplace(name, in: directory.path, of: directory.fileSystem, mode: mode)
            do throws(StorageError) {
                try file.append(encoder.bytes)
                try file.sync()
            } catch {
                throw file.abandon(after: error)
            }
            return try file.publish()
        }
    }

    /// Makes snapshot 1 of records that come from elsewhere: an import.
    package static func snapshot(
        _ header: FileHeader,
        _ records: [(id: CanonicalID, value: [UInt8])],
        schema: UInt64,
        in directory: StoreDirectory,
        mode: FileMode
    ) throws(EngineError) {
        try io { () throws(StorageError) in
            let name = StoreDirectory.snapshotName(header.generation)
            var file = try AtomicReplace(name, in: directory.path, of: directory.fileSystem, mode: mode)
            do throws(StorageError) {
                try write(header, records, schema: schema, to: &file)
                try file.sync()
            } catch {
                throw file.abandon(after: error)
            }
            do throws(StorageError) {
                _ = try file.publish()
            } catch {
                throw withdraw(directory.path(of: name), of: directory.fileSystem, after: error)
            }
        }
    }

    /// Takes back a name that may be there and not stable, so that the next opening makes it anew; returns
    /// the error to throw.
    ///
    /// After a failed sync the kernel may call the directory clean. An opening that found the snapshot
    /// would serve it, and a power cut would then take it from under the log that was appended to.
    private static func withdraw(
        _ path: String,
        of fileSystem: any FileSystem,
        after failure: StorageError
    ) -> StorageError {
        var failure = failure
        do throws(StorageError) {
            _ = try fileSystem.remove(path)
        } catch {
            failure.reason += "; \(path) could not be removed either: \(error.reason)"
        }
        return failure
    }

    private static func write(
        _ header: FileHeader,
        _ records: [(id: CanonicalID, value: [UInt8])],
        schema: UInt64,
        to file: inout AtomicReplace
    ) throws(StorageError) {
        var encoder = RecordEncoder()
        encoder.appendHeader(header)
        var number = SequenceNumber.first
        for record in records {
            let head = RecordHead(sequenceNumber: number, time: header.time)
            encoder.appendPut(head, schema: schema, id: record.id.spelling, value: record.value)
            try file.append(encoder.bytes)
            encoder.removeAll()
            number = number.next
        }
        encoder.appendFooter(SnapshotFooter(records: UInt64(records.count)))
        try file.append(encoder.bytes)
    }
}
