import LogEngine
import LogFormat

extension LocalRepository {
    /// Changes an item: reads it, runs `body` on it and saves what comes of it, with no other change in
    /// between.
    ///
    /// It starts from the newest accepted value, also one that is not acknowledged yet. Setting the item
    /// to nil deletes it; leaving it as it was writes nothing. Returns when the change is acknowledged,
    /// or, when nothing was written, what the value read depends on.
    ///
    /// `body` runs on the repository, once: it should be short, since reads wait for it.
    ///
    /// ```swift
    /// let votes = try await repository.update("q-001") { question in
    ///     question?.votes += 1
    ///     return question?.votes ?? 0
    /// }
    /// ```
    ///
    /// - Throws: What `body` throws, after which nothing is written; `StoreError` as `save(_:)` does, and
    ///   `.idChanged` when the item came back with another id.
    @discardableResult
    public nonisolated func update<Result: Sendable>(
        _ id: Item.ID,
        _ body: @Sendable (inout Item?) throws -> Result
    ) async throws -> Result {
        try await transaction { transaction in
            var item = transaction.find(by: id)
            let result = try body(&item)
            guard let item else {
                transaction.delete(id)
                return result
            }
            guard item.id == id else {
                throw StoreError(
                    .idChanged,
                    "The item \(id) was given the id \(item.id) in an update. Save it under its new id and delete the old one."
                )
            }
            transaction.save(item)
            return result
        }
    }

    /// Changes several items as one batch, with no other change in between.
    ///
    /// What `body` saves and deletes it sees itself at once, and others when it is acknowledged: all of
    /// it or nothing, after any crash. When `body` throws, nothing is written. What is as it was before is
    /// not written.
    ///
    /// `body` runs on the repository, once: it should be short, since reads wait for it.
    ///
    /// ```swift
    /// try await repository.transaction { transaction in
    ///     guard let question = transaction.find(by: "q-001") else { return }
    ///     transaction.save(Question(id: "q-002", title: question.title))
    ///     transaction.delete("q-001")
    /// }
    /// ```
    ///
    /// - Throws: What `body` throws; `StoreError` as `save(_:)` does.
    @discardableResult
    public nonisolated func transaction<Result: Sendable>(
        _ body: @Sendable (inout StoreTransaction<Item>) throws -> Result
    ) async throws -> Result {
        let (result, acceptance) = try await run(body)
        try await settle(acceptance)
        return result
    }

    private func run<Result: Sendable>(
        _ body: @Sendable (inout StoreTransaction<Item>) throws -> Result
    ) async throws -> (Result, Acceptance) {
        try await waitUntilWritable()
        let outcome = try outcome(of: body)
        return (outcome.result, try await follow(try put(outcome.changes, readingOnly: outcome.ids)))
    }

    /// Runs the body on copies of what is there, which are gone when this returns: a copy that lived
    /// longer would have to be made in full at the next change.
    private func outcome<Result>(
        of body: @Sendable (inout StoreTransaction<Item>) throws -> Result
    ) throws -> (result: Result, changes: [PendingChange<Item>], ids: [Item.ID]) {
        var transaction = StoreTransaction<Item>(state, accepted)
        let result = try body(&transaction)
        if let failure = transaction.failure { throw failure }
        return (result, try transaction.changes(coder), transaction.readIDs)
    }
}

/// The items as a transaction sees them: the newest accepted ones, with its own changes on top.
public struct StoreTransaction<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private let state: LoadedState<Item>
    private let accepted: AcceptedChanges<Item>
    /// The transaction's own saves and deletes (nil), by id.
    private var own: [Item.ID: Item?] = [:]
    /// The ids in `own`, in the order of their first change.
    private var order: [Item.ID] = []
    private(set) var readIDs: [Item.ID] = []

    /// Why a record could not be read, under `.onDemand`: nothing may be decided on what was not seen.
    private(set) var failure: StoreError?

    init(_ state: LoadedState<Item>, _ accepted: AcceptedChanges<Item>) {
        self.state = state
        self.accepted = accepted
    }

    /// The item with an id, or nil.
    ///
    /// When its record cannot be read, which under `.onDemand` may happen, it gives nil, and the transaction
    /// throws and writes nothing.
    public mutating func find(by id: Item.ID) -> Item? {
        readIDs.append(id)
        if let item = own[id] { return item }
        do throws(StoreError) {
            return try before(id)
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    /// Saves an item when the transaction is done.
    public mutating func save(_ item: Item) {
        set(item.id, item)
    }

    /// Deletes the item with an id, if any, when the transaction is done.
    public mutating func delete(_ id: Item.ID) {
        set(id, nil)
    }

    private mutating func set(_ id: Item.ID, _ item: Item?) {
        if own.updateValue(item, forKey: id) == nil { order.append(id) }
    }

    private func before(_ id: Item.ID) throws(StoreError) -> Item? {
        if let change = accepted.newest(of: id) { return change.item }
        return try state.find(id)
    }

    /// What differs from before, as changes in the order in which the ids were first touched.
    func changes(_ coder: ItemCoder<Item>) throws(StoreError) -> [PendingChange<Item>] {
        var changes: [PendingChange<Item>] = []
        for id in order {
            guard let item = own[id] else { continue }
            guard let item else {
                changes.append(try coder.delete(id))
                continue
            }
            let change = try coder.put(item)
            if let old = try before(id), try coder.put(old).value == change.value { continue }
            changes.append(change)
        }
        return changes
    }
}
