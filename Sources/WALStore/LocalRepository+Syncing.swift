import LogEngine
import LogFormat
import LogStorage

extension LocalRepository {
    /// Returns when everything that was accepted before the call is on stable storage.
    ///
    /// - Throws: `StoreError`. After `.outcomeUnknown` the store has to be opened again.
    public func flush() async throws(StoreError) {
        if let poison = appender.poison { throw StoreError(poison) }
        // Not `isClosed`: until a close has given the file up, its last records may not be stable.
        guard appender.file != nil, appender.hasUnsynced else { return }
        try await waitForSync()
    }

    /// Returns when a sync that begins after this call has ended.
    ///
    /// - Throws: `StoreError` when it fails, or when one has failed before: a second one is never tried.
    func waitForSync() async throws(StoreError) {
        if appender.syncHasFailed, let poison = appender.poison { throw StoreError(poison) }
        let result = await withCheckedContinuation { continuation in
            syncs.join(continuation)
            if !syncs.isRunning { beginSync() }
        }
        try result.get()
    }

    /// Begins a sync on the sync thread for everyone who waits for the next one.
    private func beginSync() {
        syncs.begin()
        isSyncDue = false
        let point = appender.syncPoint
        guard let file = appender.file else { preconditionFailure("A store syncs before it is closed.") }
        Task(executorPreference: configuration.execution.tasks) {
            let result = await self.syncThread.sync(file)
            await self.syncEnded(point, result)
        }
    }

    /// Acknowledges what the sync made stable, or fails everyone who waits. Returns what they get.
    @discardableResult
    func syncEnded(
        _ point: LogAppender.SyncPoint,
        _ result: Result<Void, StorageError>
    ) -> Result<Void, StoreError> {
        counts.syncs += 1
        switch result {
        case .success:
            let before = appender.stable.sequenceNumber
            appender.didSync(point)
            let group = appender.stable.sequenceNumber.rawValue - before.rawValue
            counts.largestGroup = max(counts.largestGroup, group)
            accepted.take(upTo: point.position.sequenceNumber) { apply($0, $1, $2) }
            wakeFeeds()
            for waiter in syncs.end() { waiter.resume(returning: .success(())) }
            if syncs.hasNext || isSyncDue { beginSync() }
            return .success(())
        case .failure(let error):
            appender.syncFailed(error, cutBack: configuration.durability == .synced)
            accepted.removeAll()
            reportPoison()
            let failure = StoreError(
                .outcomeUnknown,
                """
                A sync of \(location.store) failed (\(error.reason)): whether this change is there will be known when the \
                store is opened again. Close it and do so; until then reads go on and nothing more is written.
                """,
                cause: error
            )
            for waiter in syncs.fail() { waiter.resume(returning: .failure(failure)) }
            return .failure(failure)
        }
    }

    /// Sees to it that what is written reaches stable storage within the interval.
    func syncLater(after interval: Duration) {
        guard syncTimer == nil else { return }
        syncTimer = Task(executorPreference: configuration.execution.tasks) { [weak self] in
            // Cancelled by `close`, which syncs by itself.
            guard (try? await Task.sleep(for: interval)) != nil else { return }
            await self?.syncTimerFired()
        }
    }

    private func syncTimerFired() {
        syncTimer = nil
        guard !isClosed, appender.poison == nil, appender.hasUnsynced else { return }
        if syncs.isRunning {
            // It may have begun before the newest records were written, and then it does not cover them.
            isSyncDue = true
        } else {
            beginSync()
        }
    }
}
