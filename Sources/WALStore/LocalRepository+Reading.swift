import LogEngine
import LogFormat

extension LocalRepository {
    /// The item with an id, or nil. From memory, in constant time; it never waits for the disk.
    ///
    /// What it returns is acknowledged: a save that is still under way is not seen.
    ///
    /// Under `.onDemand` it reads and decodes the item on the repository when it is asked for the first time. An
    /// item that cannot be read or decoded then gives nil and is listed in `undecodable`.
    public func find(by id: Item.ID) -> Item? {
        state.recall(id)
    }

    /// All items, in no order. From memory; the cost grows with their number.
    ///
    /// Under `.onDemand` the first call decodes what was not asked for yet, on the repository, and from then on
    /// all items are in memory.
    public func loadAll() -> [Item] {
        state.recallAll()
        return state.cache.items()
    }

    /// The number of items. Under `.onDemand` one that cannot be decoded counts until it was asked for.
    public var count: Int {
        state.count
    }

    /// Whether there is an item with an id. Under `.onDemand` it is not decoded for that.
    public func contains(_ id: Item.ID) -> Bool {
        state.contains(id)
    }

    /// The items that fulfil a condition, in no order. From memory; the cost grows with their number. Under
    /// `.onDemand` it decodes all, as `loadAll` does.
    ///
    /// - Throws: What the condition throws.
    public func filter(_ isIncluded: @Sendable (Item) throws -> Bool) rethrows -> [Item] {
        state.recallAll()
        return try state.cache.items(where: isIncluded)
    }

    /// The live records that are known to be no items: those in the recovery report, and under `.onDemand`
    /// those that could not be read or decoded when they were asked for. Their bytes stay in the files.
    public var undecodable: [RecoveryReport.Undecodable] {
        state.undecodable
    }

    /// Counts of what the store holds and did since it was opened.
    public var statistics: StoreStatistics {
        var counts = counts
        counts.liveRecords = state.count
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
