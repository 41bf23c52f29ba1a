/// The acknowledged items, by id.
///
/// Many small dictionaries in the place of a large one: a dictionary that grows hashes all its keys
/// again, which at a million of them would stall everybody for a quarter of a second.
struct ItemCache<ID: Hashable & Sendable, Item: Sendable>: Sendable {
    private static var shardCount: Int { 256 }

    private var shards: [[ID: Item]]
    private(set) var count = 0

    init() {
        shards = Array(repeating: [:], count: Self.shardCount)
    }

    /// Makes room for so many items, so that filling the cache hashes no key twice.
    mutating func reserveCapacity(_ count: Int) {
        // Shards are filled by chance: a little more than their share spares nearly all of them.
        let share = count / Self.shardCount
        for shard in shards.indices { shards[shard].reserveCapacity(share + share / 16) }
    }

    private func shard(of id: ID) -> Int { id.hashValue & (Self.shardCount - 1) }

    subscript(id: ID) -> Item? { shards[shard(of: id)][id] }

    /// The key that is equal to `id`, which may be spelled otherwise.
    func key(equalTo id: ID) -> ID? {
        let shard = shards[shard(of: id)]
        return shard.index(forKey: id).map { shard.keys[$0] }
    }

    /// Keeps the key that is there already when it is equal to `id`; returns the item that was there.
    @discardableResult
    mutating func set(_ id: ID, _ item: Item) -> Item? {
        let old = shards[shard(of: id)].updateValue(item, forKey: id)
        if old == nil { count += 1 }
        return old
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Item? {
        let old = shards[shard(of: id)].removeValue(forKey: id)
        if old != nil { count -= 1 }
        return old
    }

    /// All items, in no order.
    func items() -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(count)
        for shard in shards { items.append(contentsOf: shard.values) }
        return items
    }

    func items(where isIncluded: (Item) throws -> Bool) rethrows -> [Item] {
        var items: [Item] = []
        for shard in shards {
            for item in shard.values where try isIncluded(item) { items.append(item) }
        }
        return items
    }
}
