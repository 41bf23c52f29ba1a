import LogEngine
import LogFormat
import LogStorage

/// A compaction under way.
struct RunningCompaction: Sendable {
    let task: Task<Result<Void, StoreError>, Never>
    let progress: Compactor.Progress
}

/// How long to leave automatic compaction alone after it failed: longer each time, up to five minutes.
struct CompactionPause: Sendable {
    private var failures = 0
    private var timer: Task<Void, Never>?

    var isOver: Bool { timer == nil }

    /// Begins a pause and calls `retry` at its end. Returns how long it is.
    mutating func begin(
        _ execution: StoreExecution,
        _ retry: @escaping @Sendable () async -> Void
    ) -> Duration {
        timer?.cancel()
        let seconds = min(300, 1 << min(failures, 16))
        failures += 1
        timer = Task(executorPreference: execution.tasks) {
            // Cancelled when the store is closed or a compaction has succeeded.
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            await retry()
        }
        return .seconds(seconds)
    }

    /// The pause has passed, but not what is remembered of the failures.
    mutating func end() {
        timer?.cancel()
        timer = nil
    }

    mutating func forget() {
        end()
        failures = 0
    }
}

extension LocalRepository {
    /// Merges the log into a new snapshot. Returns when that is durable.
    ///
    /// Saves and reads go on meanwhile; saves wait only while the log of the next generation is begun.
    /// After a failure the store is as it was, and usable. Nothing is done when nothing has changed since
    /// the last snapshot.
    ///
    /// - Throws: `StoreError`: no space, an I/O error, or damage found while copying, after which
    ///   nothing was removed.
    public func compact() async throws(StoreError) {
        while let running = compaction { _ = await running.task.value }
        if isClosed {
            throw StoreError(.closed, "\(location.store) was closed. Open it again to compact it.")
        }
        try await beginCompaction(ofAll: true).value.get()
    }

    /// Begins a compaction when the policy wants one and none runs.
    func compactIfDue() {
        guard case .automatic(let minimum, let multiple) = configuration.compaction else { return }
        guard compaction == nil, compactionPause.isOver, !isClosed, appender.poison == nil else { return }
        let logBytes = Double(files.earlierLogBytes + appender.written.offset)
        guard logBytes > max(Double(minimum), multiple * Double(files.snapshotBytes)) else { return }
        beginCompaction(ofAll: false)
    }

    /// Ends a compaction soon, without its snapshot, and returns when it has ended.
    func stopCompacting() async {
        compactionPause.end()
        while let running = compaction {
            running.progress.stop()
            _ = await running.task.value
        }
    }

    @discardableResult
    private func beginCompaction(ofAll isOfAll: Bool) -> Task<Result<Void, StoreError>, Never> {
        let progress = Compactor.Progress()
        let task = Task(executorPreference: configuration.execution.tasks) {
            await self.runCompaction(progress, ofAll: isOfAll)
        }
        compaction = RunningCompaction(task: task, progress: progress)
        return task
    }

    private func runCompaction(
        _ progress: Compactor.Progress,
        ofAll isOfAll: Bool
    ) async -> Result<Void, StoreError> {
        let start = ContinuousClock.now
        let result = await compactionResult(progress, ofAll: isOfAll)
        compactionEnded(result, duration: ContinuousClock.now - start)
        return result
    }

    private func compactionEnded(_ result: Result<Void, StoreError>, duration: Duration) {
        compaction = nil
        switch result {
        case .success:
            counts.lastCompactionError = nil
            counts.lastCompactionDuration = duration
            compactionPause.forget()
        case .failure(let error):
            counts.lastCompactionError = error.message
            if !isClosed { events.report(.compactionFailed(error)) }
            reportPoison()
            guard !isClosed else { return }
            let pause = compactionPause.begin(configuration.execution) { [weak self] in
                await self?.compactionPauseEnded()
            }
            if appender.poison == nil { events.report(.compactionPostponed(by: pause)) }
        }
    }

    private func compactionPauseEnded() {
        compactionPause.end()
        compactIfDue()
    }

    // MARK: Steps

    private func compactionResult(
        _ progress: Compactor.Progress,
        ofAll isOfAll: Bool
    ) async -> Result<Void, StoreError> {
        do throws(StoreError) {
            try await checkFreeSpace()
            // What an earlier attempt has left comes first. To begin yet another log each time would
            // leave a full disk with one log for each attempt.
            let hasLeftovers = !files.earlierLogs.isEmpty
            if hasLeftovers { try await mergeEarlierLogs(progress) }
            if appender.hasRecords, isOfAll || !hasLeftovers {
                try await rotate()
                try await mergeEarlierLogs(progress)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func mergeEarlierLogs(_ progress: Compactor.Progress) async throws(StoreError) {
        let start = ContinuousClock.now
        let bytesBefore = files.snapshotBytes + files.earlierLogBytes
        events.report(.compactionStarted)
        let sources = files.sources
        let replaced = files.baseGeneration
        let header = files.snapshotHeader(keepingDeletesSince: deletesWanted, time: appender.time)
        let directory = directory
        let compactor = Compactor(directory, mode: fileMode, progress: progress)
        let snapshot = try await onCompactionThread { () throws(EngineError) in
            try compactor.merge(sources, into: header)
        }
        files.didCompact(into: snapshot, header)
        counts.compactions += 1
        try await moveStoredItems(to: snapshot)

        // The snapshot is durable, so what the retention does not ask for may go. What the snapshot was
        // made from stays until the next one.
        let generations = configuration.retention.generations
        try await onCompactionThread { () throws(EngineError) in
            guard let listing = try directory.listing() else { return }
            let lowest = Retention.lowest(in: listing, keeping: generations)
            try Retention.remove(below: min(lowest, replaced), from: directory)
        }
        events.report(
            .compactionFinished(
                CompactionReport(
                    generation: header.generation,
                    bytesBefore: bytesBefore,
                    bytesAfter: files.snapshotBytes,
                    duration: ContinuousClock.now - start
                )
            )
        )
    }

    /// Under `.onDemand` items are read from the files, so the old ones stay until this is done.
    private func moveStoredItems(to snapshot: StorePlan.File) async throws(StoreError) {
        guard let stored = state.stored else { return }
        let moved = try await compactionThread.run { () throws(StoreError) in try stored.moved(to: snapshot) }
        state.move(to: moved)
    }

    /// Begins the next generation's log. Savers wait from the moment that nothing more may be appended
    /// to the old one until the new one is there.
    private func rotate() async throws(StoreError) {
        isHeld = true
        defer {
            isHeld = false
            for saver in heldSavers { saver.resume() }
            heldSavers.removeAll()
        }
        try await waitUntilStable()
        if try engine({ () throws(EngineError) in try appender.cutSpaceAhead() }) {
            try await waitForSync()
            try await waitUntilStable()
        }
        guard appender.written.sequenceNumber < .highest else {
            throw StoreError(
                .numbersExhausted,
                "\(location.store) has used up the sequence numbers of its format."
            )
        }
        let header = files.nextHeader(after: appender.written.sequenceNumber, time: appender.time)
        let (directory, mode) = (directory, fileMode)
        let result = await compactionThread.run { () -> Result<any StorageFile, Rotation.Failure> in
            Result { () throws(Rotation.Failure) in try Rotation.begin(header, in: directory, mode: mode) }
        }
        switch result {
        case .success(let file):
            let path = directory.path(of: StoreDirectory.logName(header.generation))
            let end = appender.written
            do throws(EngineError) {
                try appender.rotate(to: file, path: path, header)
            } catch {
                appender.poison(error)
                throw StoreError(error)
            }
            files.didRotate(to: header, endOfLast: end)
        case .failure(.notBegun(let error)):
            throw StoreError(error)
        case .failure(.unknown(let error)):
            appender.poison(error)
            throw StoreError(error)
        }
    }

    /// Returns when all that was written is on stable storage and no sync runs: one that began before the next
    /// log would say nothing about that.
    private func waitUntilStable() async throws(StoreError) {
        while appender.hasUnsynced || syncs.isRunning { try await waitForSync() }
        try checkMayWrite()
    }

    private func checkMayWrite() throws(StoreError) {
        if let poison = appender.poison { throw StoreError(poison) }
        if isClosed { throw StoreError(.closed, "\(location.store) was closed.") }
    }

    /// A compaction that cannot end for lack of space would only take what the savers need.
    private func checkFreeSpace() async throws(StoreError) {
        let needed = files.snapshotBytes + files.earlierLogBytes + appender.written.offset
        let directory = directory
        let free = try await onCompactionThread { () throws(EngineError) in
            do throws(StorageError) {
                return try directory.fileSystem.freeSpace(at: directory.path)
            } catch {
                throw EngineError(error)
            }
        }
        guard free < needed else { return }
        throw StoreError(
            .diskFull,
            """
            Compacting \(location.store) needs up to \(needed) bytes, and \(free) are free. Saves go on; it is tried again \
            by itself.
            """
        )
    }

    func onCompactionThread<Value: Sendable>(
        _ body: @Sendable () throws(EngineError) -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await compactionThread.run(body)
        } catch {
            throw StoreError(error)
        }
    }

    private var deletesWanted: SequenceNumber {
        switch configuration.retention.deletes {
        case .none: files.firstSequenceNumber
        case .all: .zero
        case .newest(let count):
            SequenceNumber(
                files.firstSequenceNumber.rawValue
                    - min(UInt64(max(0, count)), files.firstSequenceNumber.rawValue)
            )
        }
    }

    var directory: StoreDirectory {
        StoreDirectory(path: location.store, fileSystem: configuration.fileSystem)
    }

    var fileMode: FileMode { FileMode(rawValue: configuration.fileMode) }
}
