import LogStorage

/// Hears how far the reading of a store's files has come, and may end it.
package protocol OpeningWatch: Sendable {
    /// So many bytes are about to be read. Once for each reading.
    func willRead(_ bytes: UInt64)
    /// So many more bytes were read: a window of the scanner each time, not a line.
    ///
    /// - Throws: What ends the reading.
    func didRead(_ bytes: Int) throws(EngineError)
}

extension StoreDirectory {
    /// The bytes of the newest snapshot and of the logs that continue it: what opening reads.
    package func bytesToRead() throws(EngineError) -> UInt64 {
        guard let listing = try listing() else { return 0 }
        let base = listing.snapshots.last
        let snapshot = base.map { [Self.snapshotName($0)] } ?? []
        let logs = listing.logs.filter { $0 >= base ?? 1 }.map { Self.logName($0) }
        return try io { () throws(StorageError) in
            var bytes: UInt64 = 0
            for name in snapshot + logs {
                bytes += try fileSystem.openForReading(path(of: name))?.length() ?? 0
            }
            return bytes
        }
    }
}
