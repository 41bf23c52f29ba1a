import LogStorage

/// Which generations stay when a newer one has taken over.
package enum Retention {
    /// Removes the files of every generation below `lowest`, oldest first, and the generation's log
    /// before its snapshot, so that what is left is a snapshot that continues in the next generation
    /// or nothing.
    ///
    /// The caller has made sure that the snapshot which takes over is durable.
    package static func remove(
        below lowest: UInt64,
        from directory: StoreDirectory
    ) throws(EngineError) {
        guard let listing = try directory.listing() else { return }
        let generations = Set(listing.logs + listing.snapshots).filter { $0 < lowest }.sorted()
        for generation in generations {
            try io { () throws(StorageError) in
                for name in [StoreDirectory.logName(generation), StoreDirectory.snapshotName(generation)] {
                    try remove(name, from: directory)
                }
            }
        }
    }

    /// In bytes: what a file is shortened by at a time.
    private static let step: UInt64 = 4 << 20

    /// Removes a file a piece at a time. To free hundreds of megabytes at once would hold up every sync
    /// in the file system for a tenth of a second.
    ///
    /// It is shortened under a temporary name, so that no crash leaves a part of it that looks like a
    /// damaged file of the store.
    private static func remove(_ name: String, from directory: StoreDirectory) throws(StorageError) {
        let path = directory.path(of: name)
        guard let file = try directory.fileSystem.openForWriting(path) else { return }
        var length = try file.length()
        guard length > 2 * step else {
            _ = try directory.fileSystem.remove(path)
            return
        }
        let temporary = path + AtomicReplace.temporarySuffix
        try directory.fileSystem.rename(path, to: temporary)
        while length > step {
            length -= step
            try file.truncate(to: length)
            BlockingPause.wait(.milliseconds(2))
        }
        _ = try directory.fileSystem.remove(temporary)
    }

    /// The lowest generation that stays: that of the base which lies `generations` bases before the
    /// newest. A base is a snapshot, or the first log of a store that began without one.
    package static func lowest(
        in listing: StoreListing,
        keeping generations: Int
    ) -> UInt64 {
        var bases = listing.snapshots
        if let first = listing.logs.first, !bases.contains(where: { $0 <= first }) {
            bases.insert(first, at: 0)
        }
        // The newest, and so many before it.
        return bases.dropLast().suffix(max(1, generations)).first ?? bases.last ?? 1
    }
}
