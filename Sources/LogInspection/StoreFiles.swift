import LogFormat
package import LogStorage

/// A store's files as they stood at one moment: names, then lengths.
///
/// Only the bytes up to these lengths are judged, so that a writer may go on. The files stay open, so
/// one that is replaced or removed meanwhile can still be read.
package struct StoreFiles: Sendable {
    package let directory: String
    /// By generation, a snapshot before its log.
    package let files: [OpenedFile]

    /// Lists and opens. A file that vanishes in between gives `InspectionError.changed`.
    static func open(_ directory: String, _ fileSystem: any FileSystem, _ watch: ReadingWatch)
        throws(InspectionError) -> StoreFiles
    {
        let listed = try list(directory, fileSystem)
        var files: [OpenedFile] = []
        for name in listed.compactMap(StoreFileName.init).sorted() {
            let path = "\(directory)/\(name)"
            guard let file = try storage({ () throws(StorageError) in try fileSystem.openForReading(path) })
            else {
                throw .changed(path: path)
            }
            let length = try storage { () throws(StorageError) in try file.length() }
            files.append(OpenedFile(name: name, path: path, file: file, length: length, watch: watch))
        }
        if files.isEmpty { try refuseMissingStore(directory, listed, fileSystem) }
        return StoreFiles(directory: directory, files: files)
    }

    private static func list(_ directory: String, _ fileSystem: any FileSystem) throws(InspectionError)
        -> [String]
    {
        let kind = try storage { () throws(StorageError) in try fileSystem.kind(of: directory) }
        switch kind {
        case .directory: break
        case .file, .other: throw .noStore("\(directory) is no directory, and a store is one.")
        case nil: throw .noStore("There is no directory \(directory).")
        }
        let names = try storage { () throws(StorageError) in try fileSystem.names(in: directory) }
        guard let names else { throw .noStore("There is no directory \(directory).") }
        return names
    }

    /// Without a log or a snapshot there is no store, unless `quarantine/` shows that there was one.
    private static func refuseMissingStore(
        _ directory: String,
        _ names: [String],
        _ fileSystem: any FileSystem
    ) throws(InspectionError) {
        let quarantine = "\(directory)/quarantine"
        let evidence = try storage { () throws(StorageError) in
            names.contains("quarantine") ? try fileSystem.names(in: quarantine) : nil
        }
        if let evidence, !evidence.isEmpty { return }
        let stores = names.filter { $0.hasSuffix(".wal") }.sorted()
        if let store = stores.first {
            throw .noStore("\(directory) is no store, but there is \(directory)/\(store).")
        }
        throw .noStore("\(directory) holds neither a log nor a snapshot.")
    }

    // MARK: Which file is which

    /// The generation that the state starts from: that of the highest snapshot, else 1.
    package var base: UInt64 {
        files.last { $0.name.kind == .snapshot }?.name.generation ?? 1
    }

    package var highestLog: UInt64? {
        files.last { $0.name.kind == .log }?.name.generation
    }

    /// Whether the file is the one that a crash may have left with a torn tail.
    func mayBeTorn(_ name: StoreFileName) -> Bool {
        name.kind == .log && name.generation == highestLog && name.generation >= base
    }

    var names: [StoreFileName] { files.map(\.name) }
}

/// An open file and the length up to which it is judged.
package struct OpenedFile: Sendable {
    package let name: StoreFileName
    let path: String
    package let file: any StorageFile
    package let length: UInt64
    let watch: ReadingWatch

    /// The same with the length that it has by now.
    func measured() throws(InspectionError) -> OpenedFile {
        let length = try storage { () throws(StorageError) in try file.length() }
        return OpenedFile(name: name, path: path, file: file, length: length, watch: watch)
    }

    /// The bytes of a range that was found before.
    func bytes(_ range: Range<UInt64>) throws(InspectionError) -> [UInt8] {
        try storage { () throws(StorageError) in try file.bytes(in: range, path: path) }
    }
}
