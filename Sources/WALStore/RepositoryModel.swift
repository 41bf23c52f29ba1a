public import Observation

/// The items of a repository for a view: it loads them, keeps them in order and follows every change,
/// whoever made it. What it shows is acknowledged.
///
/// ```swift
/// import SwiftUI
///
/// struct QuestionList: View {
///     @State var model: RepositoryModel<Question>
///
///     var body: some View {
///         List(model.items) { Text($0.title) }
///             .task { await model.follow() }
///     }
/// }
/// ```
@MainActor
@Observable
public final class RepositoryModel<Item: Identifiable & Sendable> where Item.ID: Sendable {
    /// The items, in the order that was asked for.
    public private(set) var items: [Item] = []
    /// Whether all items have come that were there when following began, or when the feed had to begin
    /// anew. True for an empty repository too.
    public private(set) var isLoaded = false
    /// Why the last call of the model failed, or the feed ended; nil after a success.
    public private(set) var error: StoreError?

    @ObservationIgnored private let repository: any Repository<Item>
    @ObservationIgnored private let comesBefore: (Item, Item) -> Bool
    /// The ids in `items`, so that a new one is not searched for.
    @ObservationIgnored private var ids: Set<Item.ID> = []
    /// The ids that were there and have not come yet.
    @ObservationIgnored private var missing: Set<Item.ID> = []
    /// The number up to which changes were taken.
    @ObservationIgnored private var position: UInt64 = 0

    /// A model that orders the items by a member.
    public convenience init(
        _ repository: any Repository<Item>,
        sortedBy member: KeyPath<Item, some Comparable>
    ) {
        self.init(repository) { $0[keyPath: member] < $1[keyPath: member] }
    }

    /// A model that orders the items by a comparison.
    public init(_ repository: any Repository<Item>, comesBefore: @escaping (Item, Item) -> Bool) {
        self.repository = repository
        self.comesBefore = comesBefore
    }

    /// Loads the items and follows the changes until the task is cancelled or the repository is closed.
    ///
    /// Called again, it goes on where it ended.
    public func follow() async {
        if !isLoaded { await expectAll() }
        do {
            for try await change in repository.changes(since: position) {
                take(change)
                // A reset is dealt with only when its state has come.
                position = change.kind == .reset ? 0 : change.sequenceNumber
                if change.kind == .reset { await expectAll() }
            }
        } catch {
            self.error = error
        }
    }

    /// Saves an item. It shows in `items` when it is acknowledged and `follow` runs; a failure shows in
    /// `error`.
    public func add(_ item: Item) async {
        await report { () async throws(StoreError) in try await repository.save(item) }
    }

    /// Deletes the item with an id; a failure shows in `error`.
    public func remove(_ id: Item.ID) async {
        await report { () async throws(StoreError) in try await repository.delete(id) }
    }

    private func report(_ body: () async throws(StoreError) -> Void) async {
        do {
            try await body()
            error = nil
        } catch {
            self.error = error
        }
    }

    private func expectAll() async {
        missing = Set(await repository.loadAll().map(\.id))
        missing.subtract(ids)
        isLoaded = missing.isEmpty
    }

    private func take(_ change: Change<Item>) {
        if let id = change.id, ids.remove(id) != nil, let index = items.firstIndex(where: { $0.id == id }) {
            items.remove(at: index)
        }
        switch change.kind {
        case .reset:
            items.removeAll()
            ids.removeAll()
        case .saved:
            guard let item = change.new else { return }
            items.insert(item, at: place(of: item))
            ids.insert(item.id)
        case .deleted:
            break
        }
        if let id = change.id, missing.remove(id) != nil, missing.isEmpty { isLoaded = true }
    }

    /// Behind all items that do not come after it.
    private func place(of item: Item) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(item, items[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
