import LogEngine
import LogStorage

extension LocalRepository {
    /// Waits for what was accepted, marks the log as closed and gives the store up to the next opener.
    ///
    /// Not closing loses nothing: the store is given up with the last reference to the repository, or when
    /// the compaction that runs has ended. Closing makes every later damage to the log recognisable. Reads go on
    /// from memory, saves throw `.closed`. Closing twice does nothing. The store is given up in every
    /// case, also when this throws.
    ///
    /// - Throws: `StoreError` when the last sync or the mark failed. What was acknowledged is safe.
    public func close() async throws(StoreError) {
        guard !isClosed else {
            if lock != nil { await withCheckedContinuation { othersWhoClose.append($0) } }
            return
        }
        isClosed = true
        syncTimer?.cancel()
        defer {
            appender.close()
            lock = nil
            wakeFeeds()
            events.report(.closed)
            for other in othersWhoClose { other.resume() }
            othersWhoClose.removeAll()
        }
        await stopCompacting()
        // A sync that runs is waited for in every case: those behind it are still owed an answer.
        while syncs.isRunning || (appender.poison == nil && appender.hasUnsynced) { try await waitForSync() }
        guard appender.poison == nil else { return }
        let isMarked = try engine { () throws(EngineError) in try appender.appendMark() }
        if isMarked { try await waitForSync() }
        // Who flushed meanwhile is still owed an answer.
        while syncs.isRunning { try await waitForSync() }
    }
}
