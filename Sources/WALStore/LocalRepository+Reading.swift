import LogEngine
import LogFormat

extension LocalRepository {
    /// The item with an id, or nil. From memory, in constant time; it never waits for the disk.
    ///
    /// What it returns is acknowledged: a save that is still under way is not seen.
    public func find(by id: Item.ID) -> Item? {
        state.cache[id]
    }

    /// All items, in no order. From memory; the cost grows with their number.
    public func loadAll() -> [Item] {
        state.cache.items()
    }

    /// The number of items.
    public var count: Int {
        state.cache.count
    }

    /// Whether there is an item with an id.
    public func contains(_ id: Item.ID) -> Bool {
        state.cache[id] != nil
    }

    /// The items that fulfil a condition, in no order.
    public func filter(_ isIncluded: @Sendable (Item) throws -> Bool) rethrows -> [Item] {
        try state.cache.items(where: isIncluded)
    }

    /// Counts of what the store holds and did since it was opened.
    public var statistics: StoreStatistics {
        var counts = counts
        counts.liveRecords = state.cache.count
        counts.logBytes = appender.written.offset
        counts.lastSequenceNumber = appender.written.sequenceNumber.rawValue
        counts.stableSequenceNumber = appender.stable.sequenceNumber.rawValue
        counts.snapshotBytes = files.snapshotBytes
        counts.generation = files.generation
        counts.compactionProgress = compaction?.progress.fraction
        counts.poison = appender.poison?.message
        return counts
    }
}
