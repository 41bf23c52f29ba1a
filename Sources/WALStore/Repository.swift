/// What programs need of a store of items: hand them this, and tests can hand them another.
///
/// `LocalRepository` keeps the items on disk, `InMemoryRepository` for the length of a test or preview.
///
/// ```swift
/// struct Quiz: Sendable {
///     var questions: any Repository<Question>
///
///     func vote(for id: String) async throws {
///         guard var question = await questions.find(by: id) else { return }
///         question.votes += 1
///         try await questions.save(question)
///     }
/// }
///
/// let quiz = Quiz(questions: try LocalRepository())
/// let tested = Quiz(questions: InMemoryRepository([newQuestion]))
/// ```
public protocol Repository<Item>: Sendable {
    /// What it keeps.
    associatedtype Item: Identifiable & Sendable where Item.ID: Sendable

    /// Saves an item in the place of the one with its id, if any. Returns when it is acknowledged.
    ///
    /// - Throws: `StoreError`. Nothing is saved then, except under `.outcomeUnknown`, where that is open.
    func save(_ item: Item) async throws(StoreError)
    /// Saves all or none of the items.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    func save(contentsOf items: some Sequence<Item> & Sendable) async throws(StoreError)
    /// Deletes the item with an id, if any. Returns when that is acknowledged.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    func delete(_ id: Item.ID) async throws(StoreError)
    /// Deletes all of the items or none. Unknown ids are skipped.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    func delete(contentsOf ids: some Sequence<Item.ID> & Sendable) async throws(StoreError)
    /// The item with an id, or nil.
    func find(by id: Item.ID) async -> Item?
    /// All items, in no order.
    func loadAll() async -> [Item]
    /// The changes since a number, and then each one as it happens.
    func changes(since number: UInt64) -> Changes<Item>
}

extension Repository {
    /// All items, ordered by a member of theirs.
    public func loadAll<Member: Comparable>(
        sortedBy member: any KeyPath<Item, Member> & Sendable
    ) async -> [Item] {
        await loadAll().sorted { $0[keyPath: member] < $1[keyPath: member] }
    }
}

extension Repository where Item.ID: Comparable {
    /// All items, ordered by their ids.
    public func loadAllByID() async -> [Item] {
        await loadAll().sorted { $0.id < $1.id }
    }
}

extension LocalRepository: Repository {}
