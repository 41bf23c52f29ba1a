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
}

/// Decodes the last record of each id, on all cores.
struct StateLoading<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private enum Decoded: Sendable {
        case item(Item.ID, Item, spelling: CanonicalID?, isMigrated: Bool)
        /// Without an id when the spelling is none of the id's type, so that no item can have it.
        case failure(Item.ID?, CanonicalID, SequenceNumber, any Error)
    }

    /// Records a worker decodes before it takes more.
    private static var lotSize: Int { 2_000 }

    private let coder: ItemCoder<Item>
    private let directory: StoreDirectory
    private let plan: StorePlan

    init(_ coder: ItemCoder<Item>, _ directory: StoreDirectory, _ plan: StorePlan) {
        self.coder = coder
        self.directory = directory
        self.plan = plan
    }

    func load() throws(StoreError) -> LoadedState<Item> {
        let slots = plan.index.liveSlots()
        let lots = (slots.count + Self.lotSize - 1) / Self.lotSize
        let loaded = Mutex<Result<LoadedState<Item>, StoreError>>(.success(LoadedState()))
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
                        for one in decoded { try add(one, to: &state) }
                        return state
                    }
                }
            }
        }
        var state = try loaded.withLock { $0 }.get()
        state.undecodable.sort { $0.sequenceNumber < $1.sequenceNumber }
        return state
    }

    private func decode(_ slots: ArraySlice<Int>) throws(StoreError) -> [Decoded] {
        var reader = ValueReader(directory, plan.files)
        var decoded: [Decoded] = []
        decoded.reserveCapacity(slots.count)
        for slot in slots {
            let location = plan.index.location(at: slot)
            let value: UnsafeRawBufferPointer
            do throws(EngineError) {
                value = try reader.value(at: location)
            } catch {
                throw StoreError(error)
            }
            let spelling = plan.index.id(at: slot)
            var id: Item.ID?
            do {
                let found = try coder.id(from: spelling)
                id = found
                decoded.append(try decode(value, found, spelling, schema: location.schema))
            } catch {
                decoded.append(.failure(id, spelling, location.sequenceNumber, error))
            }
        }
        return decoded
    }

    private func decode(
        _ value: UnsafeRawBufferPointer,
        _ id: Item.ID,
        _ spelling: CanonicalID,
        schema: UInt64
    ) throws -> Decoded {
        let item = try coder.item(from: value, schema: schema)
        guard item.id == id else {
            let reason =
                "the item decoded from it has another id, \(item.id). Is the id among the type's coding keys?"
            throw DecodingFailure(reason: reason)
        }
        let usual = try coder.spelling(of: id)
        let isMigrated = schema < coder.schemaVersion
        return .item(id, item, spelling: usual == spelling ? nil : spelling, isMigrated: isMigrated)
    }

    private func add(_ decoded: Decoded, to state: inout LoadedState<Item>) throws(StoreError) {
        switch decoded {
        case .item(let id, let item, let spelling, let isMigrated):
            if isMigrated { state.migrated += 1 }
            let usual = try coder.spelling(of: id)
            try refuseSecond(id, spelling ?? usual, in: state)
            state.cache.set(id, item)
            if let spelling { state.spellings[id] = spelling }
        case .failure(let id, let spelling, let number, let cause):
            if let id {
                try refuseSecond(id, spelling, in: state)
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

    /// Refuses the store when it has a live record for an id already, in whatever spelling.
    private func refuseSecond(
        _ id: Item.ID,
        _ spelling: CanonicalID,
        in state: LoadedState<Item>
    ) throws(StoreError) {
        var first = state.carried.isEmpty ? nil : state.carried[id]
        if first == nil, let key = state.cache.key(equalTo: id) {
            let usual = try coder.spelling(of: key)
            first = state.spellings[key] ?? usual
        }
        guard let first else { return }
        throw StoreError(
            .ambiguousID,
            """
            \(directory.path) has live records for \(first) and \(spelling), which are equal as \(Item.ID.self), so \
            it is not known which counts. Nothing was changed; delete one of them with a type that tells them apart.
            """
        )
    }
}

/// Why a record is no item, where the decoder has no objection.
struct DecodingFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
