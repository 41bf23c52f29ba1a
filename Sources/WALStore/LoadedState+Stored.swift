import Dispatch
import LogEngine
import LogFormat
import Synchronization

/// The part of a state that only the files have so far, under `.onDemand`.
extension LoadedState {
    /// A state whose records are all in the files.
    init(_ stored: StoredItems<Item>) {
        self.stored = stored
        storedCount = stored.count
        undecodable = stored.undecodable
        isSpelledInOneWay = stored.isSpelledInOneWay
    }

    /// The number of items. One that cannot be decoded counts until that was tried.
    var count: Int { cache.count + storedCount }

    func contains(_ id: Item.ID) -> Bool { cache[id] != nil || storedSlot(of: id) != nil }

    /// The item with an id, from memory or else from the files. Nil also when it cannot be decoded.
    ///
    /// - Throws: `StoreError` when its record cannot be read.
    func find(_ id: Item.ID) throws(StoreError) -> Item? {
        if let item = cache[id] { return item }
        guard let stored, let slot = storedSlot(of: id) else { return nil }
        guard case .item(_, let item, _) = try stored.read(slot) else { return nil }
        return item
    }

    /// The spelling of the live record of an id, or nil when there is none.
    func liveSpelling(of id: Item.ID, _ coder: ItemCoder<Item>) throws(StoreError) -> CanonicalID? {
        if let key = cache.key(equalTo: id) {
            if !spellings.isEmpty, let spelling = spellings[key] { return spelling }
            return try coder.spelling(of: key)
        }
        if let stored, let slot = storedSlot(of: id) { return stored.spelling(at: slot) }
        return carried.isEmpty ? nil : carried[id]
    }

    /// Where the record of an id is that is not in memory.
    private func storedSlot(of id: Item.ID) -> Int? {
        guard storedCount > 0, let stored, cache[id] == nil, gone[id] == nil else { return nil }
        return stored.slot(of: id)
    }

    // MARK: Changes

    /// Puts an item in the place of the one with its id, if any; returns that when it was in memory.
    mutating func set(_ id: Item.ID, _ item: Item, as spelling: CanonicalID) -> Item? {
        // The file has the spelling of the record that was there, which need not be the one that this id
        // would get.
        if !carried.isEmpty, carried.removeValue(forKey: id) != nil { spellings[id] = spelling }
        if let stored, storedSlot(of: id) != nil {
            storedCount -= 1
            if !stored.spells(id, as: spelling) { spellings[id] = spelling }
        }
        return cache.set(id, item)
    }

    /// Removes the item with an id; returns it when it was in memory.
    mutating func remove(_ id: Item.ID) -> Item? {
        if !carried.isEmpty { carried[id] = nil }
        if !spellings.isEmpty { spellings[id] = nil }
        if let stored {
            if storedSlot(of: id) != nil { storedCount -= 1 }
            if stored.slot(of: id) != nil { gone.set(id, ()) }
        }
        return cache.remove(id)
    }

    // MARK: Into memory

    /// The item with an id, which stays in memory from now on.
    mutating func recall(_ id: Item.ID) -> Item? {
        if let item = cache[id] { return item }
        guard let stored, let slot = storedSlot(of: id) else { return nil }
        take(Result { () throws(StoreError) in try stored.read(slot) }, slot, stored)
        return cache[id]
    }

    /// Brings every item into memory that is not there yet, decoding on all cores.
    mutating func recallAll() {
        guard storedCount > 0, let stored else { return }
        let slots = stored.slots()
        let lotSize = 2_000
        let found = Mutex<[(slot: Int, result: Result<StoredItems<Item>.Found, StoreError>)]>([])
        DispatchQueue.concurrentPerform(iterations: (slots.count + lotSize - 1) / lotSize) { lot in
            let first = lot * lotSize
            let results = slots[first..<min(first + lotSize, slots.count)].map { slot in
                (slot, Result { () throws(StoreError) in try stored.read(slot) })
            }
            found.withLock { $0 += results }
        }
        for (slot, result) in found.withLock({ $0 }) { take(result, slot, stored) }
    }

    /// Keeps what was read of a record, if that is what counts for its id.
    private mutating func take(
        _ result: Result<StoredItems<Item>.Found, StoreError>,
        _ slot: Int,
        _ stored: StoredItems<Item>
    ) {
        switch result {
        case .success(.item(let id, let item, let spelling)):
            guard storedSlot(of: id) != nil else { return }
            storedCount -= 1
            cache.set(id, item)
            if let spelling { spellings[id] = spelling }
        case .success(.undecodable(let id, let error)):
            if let id {
                guard storedSlot(of: id) != nil else { return }
                gone.set(id, ())
                carried[id] = stored.spelling(at: slot)
            }
            if note(error, slot, stored) { storedCount -= 1 }
        case .failure(let error):
            _ = note(error, slot, stored)
        }
    }

    /// False when it was noted before.
    private mutating func note(_ error: any Error, _ slot: Int, _ stored: StoredItems<Item>) -> Bool {
        let record = stored.undecodable(at: slot, error)
        guard !undecodable.contains(where: { $0.sequenceNumber == record.sequenceNumber }) else {
            return false
        }
        undecodable.append(record)
        return true
    }

    /// A compaction has moved the records.
    mutating func move(to stored: StoredItems<Item>) {
        self.stored = stored
    }
}
