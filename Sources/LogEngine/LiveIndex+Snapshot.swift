import LogFormat
import LogStorage

extension LiveIndex {
    /// The records of a snapshot, which is the file of the given number in the list of files.
    package init(
        reading snapshot: StorePlan.File,
        as number: Int32,
        in directory: StoreDirectory
    ) throws(EngineError) {
        self.init()
        let path = directory.path(of: snapshot.name)
        let opened = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
        guard let file = opened else {
            throw EngineError(StorageError.vanished(path))
        }
        try FileScan.lines(of: file, path: path, length: snapshot.length) { (line) throws(EngineError) in
            switch line {
            case .record(let record, let place):
                set(record.id, Location(record, at: place.offset, in: number))
            case .invalid(let bytes, let place):
                throw EngineError(
                    Corruption(place, in: snapshot.name, reason: bytes.reason.description),
                    in: directory.path
                )
            case .header, .footer, .padding: break
            }
            return true
        }
    }
}
