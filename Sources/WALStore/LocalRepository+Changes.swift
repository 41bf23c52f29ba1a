#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

extension LocalRepository {
    /// The changes since a number, and then each one as it happens, until the store is closed.
    ///
    /// It delivers a change only once it is on stable storage, also under `.written`. The log is the
    /// buffer: a slow reader costs no memory, and one that was away, also while the program did not run,
    /// goes on with the last number it dealt with. When compaction has dropped what a reader asks for, or
    /// the number is one that the store never reached, it gets a `.reset` first and then the whole state;
    /// `StoreConfiguration.retention` says how far back it reaches.
    ///
    /// Any number of readers may follow at once. A loop throws `StoreError` when the log cannot be read,
    /// and under `.refuse` when a record cannot be decoded.
    ///
    /// - Parameter number: The last number that was dealt with; 0 for all that the store still knows.
    public nonisolated func changes(since number: UInt64 = 0) -> Changes<Item> {
        Changes {
            let reader = FeedReader(self, after: number)
            return { () async throws(StoreError) in try await reader.next() }
        }
    }

    /// What a reader may do next.
    enum FeedStep: Sendable {
        /// Deliver these, and go on behind `position`.
        case deliver([Change<Item>], position: SequenceNumber)
        /// Read from the log.
        case read(LogCursor.Limit)
        case end
    }

    /// Waits until there is something behind `position`.
    func feedStep(after position: SequenceNumber) async -> FeedStep {
        if recent == nil { recent = RecentChanges(after: appender.written.sequenceNumber) }
        while true {
            let stable = appender.stable.sequenceNumber
            if position != stable {
                if position < stable, let changes = recent?.changes(after: position, upTo: stable) {
                    return .deliver(changes, position: stable)
                }
                return .read(
                    LogCursor.Limit(
                        generation: files.generation,
                        offset: appender.stable.offset,
                        sequenceNumber: stable
                    )
                )
            }
            if appender.file == nil || Task.isCancelled { return .end }
            await waitForChange()
        }
    }

    private func waitForChange() async {
        lastFeedWaiter += 1
        let number = lastFeedWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                feedWaiters[number] = continuation
            }
        } onCancel: {
            Task(executorPreference: configuration.execution.tasks) { await self.stopWaiting(number) }
        }
    }

    /// How many loops over the changes have nothing to deliver.
    package var waitingReaders: Int { feedWaiters.count }

    private func stopWaiting(_ number: UInt64) {
        feedWaiters.removeValue(forKey: number)?.resume()
    }

    /// Something has become stable, or the store was closed.
    func wakeFeeds() {
        guard !feedWaiters.isEmpty else { return }
        let waiters = feedWaiters
        feedWaiters.removeAll()
        for waiter in waiters.values { waiter.resume() }
    }
}

/// One loop over the changes. It reads the log on its own, away from the repository.
private actor FeedReader<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private let repository: LocalRepository<Item>
    /// Everything up to here was read.
    private var position: SequenceNumber
    private var cursor: LogCursor?
    private var ready: ArraySlice<Change<Item>> = []

    init(_ repository: LocalRepository<Item>, after number: UInt64) {
        self.repository = repository
        position = SequenceNumber(min(number, SequenceNumber.highest.rawValue - 1))
    }

    func next() async throws(StoreError) -> Change<Item>? {
        while true {
            if let change = ready.popFirst() { return change }
            if Task.isCancelled { return nil }
            // A snapshot that has been begun is read to its end, whatever number is reached in it.
            switch await repository.feedStep(after: cursor?.isInSnapshot == true ? .zero : position) {
            case .end: return nil
            case .deliver(let changes, let position):
                ready = changes[...]
                self.position = position
                cursor = nil
            case .read(let limit):
                try read(upTo: limit)
            }
        }
    }

    private func read(upTo limit: LogCursor.Limit) throws(StoreError) {
        let configuration = repository.configuration
        let directory = StoreDirectory(
            path: repository.location.store,
            fileSystem: configuration.fileSystem
        )
        let cursor = cursor ?? LogCursor(directory, after: position)
        self.cursor = cursor
        let events = try engine { () throws(EngineError) in try cursor.next(upTo: limit) }
        let decoding = repository.decoding
        let changes = try decoding.changes(events)
        ready = changes[...]
        position = cursor.position
    }
}
