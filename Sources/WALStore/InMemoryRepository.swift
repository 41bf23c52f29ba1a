#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A repository without a disk, for previews and tests. It can be told to fail and to take its time.
///
/// ```swift
/// let repository = InMemoryRepository([newQuestion])
/// await repository.failNext(StoreError(.diskFull, "The disk is full."))
/// await repository.delayChanges(by: .seconds(1))
/// ```
public actor InMemoryRepository<Item: Identifiable & Sendable>: Repository where Item.ID: Sendable {
    private var items: [Item.ID: Item] = [:]
    private var history: [Change<Item>] = []
    private var failures: [StoreError] = []
    private var lastingFailure: StoreError?
    private var delay: Duration?
    private var isClosed = false
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter: UInt64 = 0

    /// A repository that holds these items; later ones of an id win.
    public init(_ items: [Item] = []) {
        for item in items { self.items[item.id] = item }
        history = self.items.values.enumerated().map { index, item in
            Change(.saved, sequenceNumber: UInt64(index) + 1, time: Date(), id: item.id, new: item)
        }
    }

    // MARK: What tests ask for

    /// The next changes fail with these errors, one each; nothing is saved by them.
    public func failNext(_ errors: StoreError...) {
        failures += errors
    }

    /// Every change fails with the error until it is nil again.
    public func failAlways(_ error: StoreError?) {
        lastingFailure = error
    }

    /// Every change takes so long before it is done.
    public func delayChanges(by duration: Duration?) {
        delay = duration
    }

    /// Ends the feeds, and every later change fails with `.closed`.
    public func close() {
        isClosed = true
        wake()
    }

    // MARK: Repository

    public func save(_ item: Item) async throws(StoreError) {
        try await save(contentsOf: [item])
    }

    public func save(contentsOf items: some Sequence<Item> & Sendable) async throws(StoreError) {
        try await checkMayChange()
        for item in items {
            let old = self.items.updateValue(item, forKey: item.id)
            record(.saved, item.id, old: old, new: item)
        }
        wake()
    }

    public func delete(_ id: Item.ID) async throws(StoreError) {
        try await delete(contentsOf: [id])
    }

    public func delete(contentsOf ids: some Sequence<Item.ID> & Sendable) async throws(StoreError) {
        try await checkMayChange()
        for id in ids {
            guard let old = items.removeValue(forKey: id) else { continue }
            record(.deleted, id, old: old, new: nil)
        }
        wake()
    }

    public func find(by id: Item.ID) -> Item? {
        items[id]
    }

    public func loadAll() -> [Item] {
        Array(items.values)
    }

    /// All of the past is kept, so there is never a reset but for a number that was never reached.
    public nonisolated func changes(since number: UInt64 = 0) -> Changes<Item> {
        Changes {
            let position = Position(number)
            return { () async throws(StoreError) in await self.next(after: position) }
        }
    }

    // MARK: Inside

    /// How far one loop over the changes has come.
    private final actor Position {
        var number: UInt64

        init(_ number: UInt64) {
            self.number = number
        }

        func move(to number: UInt64) {
            self.number = number
        }
    }

    private func checkMayChange() async throws(StoreError) {
        if let delay {
            do {
                try await Task.sleep(for: delay)
            } catch {
                throw StoreError(
                    .cancelled,
                    "The task was cancelled before anything was saved.",
                    cause: error
                )
            }
        }
        if isClosed { throw StoreError(.closed, "The repository was closed.") }
        if !failures.isEmpty { throw failures.removeFirst() }
        if let lastingFailure { throw lastingFailure }
    }

    private func record(_ kind: Change<Item>.Kind, _ id: Item.ID, old: Item?, new: Item?) {
        history.append(
            Change(kind, sequenceNumber: UInt64(history.count) + 1, time: Date(), id: id, old: old, new: new)
        )
    }

    private func next(after position: Position) async -> Change<Item>? {
        while true {
            let number = await position.number
            if number > history.count {
                await position.move(to: 0)
                return Change(.reset, sequenceNumber: UInt64(history.count), time: Date(), id: nil)
            }
            if number < history.count {
                await position.move(to: number + 1)
                return history[Int(number)]
            }
            if isClosed || Task.isCancelled { return nil }
            await wait()
        }
    }

    private func wait() async {
        lastWaiter += 1
        let number = lastWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                waiters[number] = continuation
            }
        } onCancel: {
            Task { await self.stopWaiting(number) }
        }
    }

    private func stopWaiting(_ number: UInt64) {
        waiters.removeValue(forKey: number)?.resume()
    }

    private func wake() {
        let all = waiters
        waiters.removeAll()
        for waiter in all.values { waiter.resume() }
    }
}
