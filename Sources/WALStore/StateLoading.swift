import Dispatch
import LogEngine
import LogFormat
import Synchronization

/// The state of a store in memory.
struct LoadedState<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    var cache = ItemCache<Item.ID, Item>()
    /// The spellings of live records that encoding their id again would not give.
    var spellings: [Item.ID: CanonicalID] = [:]
    var undecodable: [RecoveryReport.Undecodable] = []
    var migrated = 0
    /// The spellings of the live records that are in the file and not in the cache, by the ids that they
    /// decode to: an id that is spelled otherwise may be equal, and then it means the same record.
    var carried: [Item.ID: CanonicalID] = [:]

    /// What is not in memory yet; nil when everything was decoded at opening.
    var stored: StoredItems<Item>?
    /// Whether every id, live or on its way, is spelled in the one way that there is: then one that is
    /// spelled so too can be equal to none that is spelled otherwise.
    var isSpelledInOneWay = true
    /// How many of its records count: those of ids that are neither in the cache nor gone.
    var storedCount = 0
    /// Ids that were deleted, or cannot be decoded, whatever the files have of them.
    var gone = ItemCache<Item.ID, Void>()

    init() {}

    /// Whether there is a live record of an id that is not in the cache.
    func carries(_ id: Item.ID) -> Bool { !carried.isEmpty && carried[id] != nil }
}

/// Decodes the last record of each id, on all cores.
struct StateLoading<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    /// What a worker has decoded.
    private struct Decoded: Sendable {
        /// With the spelling where encoding the id gives another.
        var items: [(id: Item.ID, item: Item, spelling: CanonicalID?)] = []
        var isSpelledInOneWay = true
        var migrated = 0
        /// Without an id when the spelling is none of the id's type, so that no item can have it.
        var failures: [(id: Item.ID?, CanonicalID, SequenceNumber, any Error)] = []
    }

    /// Records a worker decodes before it takes more.
    private static var lotSize: Int { 2_000 }

    private let coder: ItemCoder<Item>
    private let directory: StoreDirectory
    private let plan: StorePlan
    private let progress: OpeningProgress?

    init(
        _ coder: ItemCoder<Item>,
        _ directory: StoreDirectory,
        _ plan: StorePlan,
        _ progress: OpeningProgress? = nil
    ) {
        self.coder = coder
        self.directory = directory
        self.plan = plan
        self.progress = progress
    }

    func load() throws(StoreError) -> LoadedState<Item> {
        let slots = plan.index.liveSlots()
        let lots = (slots.count + Self.lotSize - 1) / Self.lotSize
        var empty = LoadedState<Item>()
        empty.cache.reserveCapacity(slots.count)
        let loaded = Mutex<Result<LoadedState<Item>, StoreError>>(.success(empty))
        empty = LoadedState()
        DispatchQueue.concurrentPerform(iterations: lots) { lot in
            let first = lot * Self.lotSize
            let range = first..<min(first + Self.lotSize, slots.count)
            let result = Result { () throws(StoreError) in try decode(slots[range]) }
            loaded.withLock { loaded in
                switch (loaded, result) {
                case (.failure, _): break
                case (_, .failure(let error)): loaded = .failure(error)
                case (.success(var state), .success(let decoded)):
                    // The lock's copy is dropped first, so that the state is changed in place.
                    loaded = .success(LoadedState())
                    loaded = Result { () throws(StoreError) in
                        try add(decoded, to: &state)
                        return state
                    }
                }
            }
        }
        var state = try loaded.withLock { $0 }.get()
        state.undecodable.sort { $0.sequenceNumber < $1.sequenceNumber }
        return state
    }

    // MARK: Decoding

    private func decode(_ slots: ArraySlice<Int>) throws(StoreError) -> Decoded {
        var reader = ValueReader(directory, plan.files)
        var decoded = Decoded()
        try engine { () throws(EngineError) in
            try progress?.didDecode(slots.count, of: plan.index.liveCount)
        }
        decoded.items.reserveCapacity(slots.count)
        var values = JoinedValues()
        for slot in slots {
            let location = plan.index.location(at: slot)
            do throws(EngineError) {
                values.append(try reader.value(at: location), of: slot)
            } catch {
                throw StoreError(error)
            }
            if values.isFull {
                decode(values, into: &decoded)
                values.removeAll()
            }
        }
        decode(values, into: &decoded)
        return decoded
    }

    /// Decodes values in one go, which costs a tenth less, and one by one if that fails.
    private func decode(_ values: JoinedValues, into decoded: inout Decoded) {
        let isAsWritten = values.slots.allSatisfy {
            coder.decodesAsWritten(schema: plan.index.location(at: $0).schema)
        }
        // Why it failed, and for which record, is found out one by one.
        if isAsWritten, let items = try? coder.items(from: values.array), items.count == values.slots.count {
            for index in items.indices {
                add(values.slots[index], to: &decoded) { items[index] }
            }
        } else {
            for index in values.slots.indices {
                let slot = values.slots[index]
                add(slot, to: &decoded) {
                    try values.withValue(at: index) {
                        try coder.item(from: $0, schema: plan.index.location(at: slot).schema)
                    }
                }
            }
        }
    }

    private func add(_ slot: Int, to decoded: inout Decoded, _ decode: () throws -> Item) {
        let spelling = plan.index.id(at: slot)
        let location = plan.index.location(at: slot)
        do {
            let item = try decode()
            let (id, isUsual) = try coder.id(of: item, spelledAs: spelling)
            decoded.items.append((id, item, isUsual ? nil : spelling))
            if !coder.isSpelledInOneWay(spelling) { decoded.isSpelledInOneWay = false }
            if location.schema < coder.schemaVersion { decoded.migrated += 1 }
        } catch {
            decoded.failures.append(failure(spelling, location.sequenceNumber, error))
        }
    }

    private func failure(
        _ spelling: CanonicalID,
        _ number: SequenceNumber,
        _ error: any Error
    ) -> (Item.ID?, CanonicalID, SequenceNumber, any Error) {
        do {
            return (try coder.id(from: spelling), spelling, number, error)
        } catch {
            return (nil, spelling, number, error)
        }
    }

    // MARK: Merging

    private func add(_ decoded: Decoded, to state: inout LoadedState<Item>) throws(StoreError) {
        for (id, item, spelling) in decoded.items {
            let isSecond = state.cache.set(id, item) != nil || state.carries(id)
            if isSecond {
                let usual = try coder.spelling(of: id)
                throw try ambiguity(of: id, spelling ?? usual, in: state)
            }
            if let spelling { state.spellings[id] = spelling }
        }
        if !decoded.isSpelledInOneWay || !decoded.failures.isEmpty { state.isSpelledInOneWay = false }
        state.migrated += decoded.migrated
        for (id, spelling, number, cause) in decoded.failures {
            if let id {
                let isSecond = state.cache[id] != nil || state.carries(id)
                if isSecond { throw try ambiguity(of: id, spelling, in: state) }
                state.carried[id] = spelling
            }
            state.undecodable.append(
                RecoveryReport.Undecodable(
                    id: spelling.description,
                    sequenceNumber: number.rawValue,
                    cause: cause
                )
            )
        }
    }

    /// The store has a live record for an id already, in whatever spelling.
    private func ambiguity(
        of id: Item.ID,
        _ spelling: CanonicalID,
        in state: LoadedState<Item>
    ) throws(StoreError) -> StoreError {
        // The cache keeps the key that it had first.
        let key = state.cache.key(equalTo: id) ?? id
        let usual = try coder.spelling(of: key)
        let first = state.carried[id] ?? state.spellings[key] ?? usual
        return coder.ambiguity(in: directory, first, spelling)
    }
}

/// Why a record is no item, where the decoder has no objection.
struct DecodingFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
