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
                    // Whole and at once, though that may hold up a sync for some 50 ms where hundreds of megabytes
                    // are freed: who reads a file goes on with its bytes when it has no name any more.
                    _ = try directory.fileSystem.remove(directory.path(of: name))
                }
            }
        }
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
