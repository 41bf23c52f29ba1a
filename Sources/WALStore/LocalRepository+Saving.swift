import LogEngine
import LogFormat

extension LocalRepository {
    /// Saves an item in the place of the one with its id, if any. Returns when it is acknowledged.
    ///
    /// Under `.synced` it then survives a power cut, under `.written` the death of the process. The item
    /// is encoded in the caller's task. A task that is cancelled before the record is written gets
    /// `.cancelled` and nothing is written; later cancellation does not stop the save.
    ///
    /// - Throws: `StoreError`. Nothing is saved then, except under `.outcomeUnknown`, where it may be
    ///   there after the store is opened again.
    public nonisolated func save(_ item: Item) async throws(StoreError) {
        try await commit([try coder.put(item)])
    }

    /// Saves items as one batch: after any crash all of them are there or none. Later ones win.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    public nonisolated func save(contentsOf items: some Sequence<Item> & Sendable) async throws(StoreError) {
        var changes: [Change<Item>] = []
        for item in items { changes.append(try coder.put(item)) }
        try await commit(changes)
    }

    /// Deletes the item with an id. Returns when that is acknowledged; an unknown id writes nothing.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    public nonisolated func delete(_ id: Item.ID) async throws(StoreError) {
        try await commit([try coder.delete(id)])
    }

    /// Deletes items as one batch: after any crash all of them are gone or none. Unknown ids are skipped.
    ///
    /// - Throws: `StoreError`, as `save(_:)` does.
    public nonisolated func delete(
        contentsOf ids: some Sequence<Item.ID> & Sendable
    ) async throws(StoreError) {
        var changes: [Change<Item>] = []
        for id in ids { changes.append(try coder.delete(id)) }
        try await commit(changes)
    }

    // MARK: From a change to its acknowledgement

    nonisolated func commit(_ changes: [Change<Item>]) async throws(StoreError) {
        switch try await accept(changes) {
        case .acknowledged: return
        case .lead(let sync): try await syncEnded(sync.point, sync.run()).get()
        }
    }

    enum Acceptance: Sendable {
        case acknowledged
        /// The changes are written, and the caller syncs them on the thread it has.
        case lead(LeadingSync)
    }

    /// Puts changes into the log in one step, and waits for their sync unless the caller is to lead it.
    private func accept(_ changes: [Change<Item>]) async throws(StoreError) -> Acceptance {
        try await waitUntilWritable()
        let effective = try effective(changes)
        if effective.isEmpty {
            // Nothing to write. But a delete that is on its way may be what made it so.
            let isOnItsWay = changes.contains { accepted.newest(of: $0.id) != nil }
            if isOnItsWay { try await waitForSync() }
            return .acknowledged
        }
        let first = try engine { () throws(EngineError) in
            try appender.append(effective.map { $0.encoded(schema: coder.schemaVersion) })
        }
        counts.recordsWritten += UInt64(effective.count)
        compaction?.progress.noteSave()
        compactIfDue()
        if case .written(let interval) = configuration.durability {
            for change in effective { apply(change) }
            syncLater(after: interval)
            return .acknowledged
        }
        accepted.append(effective, from: first)
        if !syncs.isRunning, let file = appender.file, let permit = LeadingSync.Permit.take() {
            syncs.begin()
            return .lead(LeadingSync(file: file, point: appender.syncPoint, permit: permit))
        }
        try await waitForSync()
        return .acknowledged
    }

    /// Returns when a record may be appended.
    private func waitUntilWritable() async throws(StoreError) {
        while true {
            if isClosed { throw StoreError(.closed, "\(location.store) was closed. Open it again to save.") }
            if let poison = appender.poison { throw StoreError(poison) }
            if Task.isCancelled {
                throw StoreError(
                    .cancelled,
                    "The task was cancelled before anything was written.",
                    cause: CancellationError()
                )
            }
            if isHeld {
                await withCheckedContinuation { heldSavers.append($0) }
            } else if appender.needsSyncBeforeAppend {
                try await waitForSync()
            } else {
                return
            }
        }
    }

    /// The changes that change something, in the spelling that the live record of their id has.
    private func effective(_ changes: [Change<Item>]) throws(StoreError) -> [Change<Item>] {
        var effective: [Change<Item>] = []
        effective.reserveCapacity(changes.count)
        var earlier: [Item.ID: Change<Item>] = [:]
        for change in changes {
            var change = change
            let live = try liveSpelling(
                of: change,
                after: earlier[change.id] ?? accepted.newest(of: change.id)
            )
            if change.item == nil, live == nil { continue }
            if let live { change.spelling = live }
            effective.append(change)
            if changes.count > 1 { earlier[change.id] = change }
        }
        return effective
    }

    /// The spelling of the live record that a change replaces, or nil when there is none.
    private func liveSpelling(
        of change: Change<Item>,
        after newest: Change<Item>?
    ) throws(StoreError) -> CanonicalID? {
        if let newest { return newest.item == nil ? nil : newest.spelling }
        if let key = state.cache.key(equalTo: change.id) {
            if let spelling = state.spellings[key] { return spelling }
            return try coder.spelling(of: key)
        }
        return state.carried.isEmpty ? nil : state.carried[change.id]
    }

    /// Makes a change visible.
    func apply(_ change: Change<Item>) {
        if !state.carried.isEmpty, state.carried.removeValue(forKey: change.id) != nil, change.item != nil {
            // The file has the carried record's spelling, which need not be the one that this id would get.
            state.spellings[change.id] = change.spelling
        }
        if let item = change.item {
            state.cache.set(change.id, item)
        } else {
            state.cache.remove(change.id)
            if !state.spellings.isEmpty { state.spellings[change.id] = nil }
        }
    }
}
