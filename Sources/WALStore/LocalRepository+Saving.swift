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
        try await commit(try await puts(Array(items)))
    }

    /// So many items are encoded by a task of their own: fewer would cost more than they spare.
    private static var encodingLot: Int { 128 }

    /// The records of saves, in order, encoded on all cores where there are many.
    private nonisolated func puts(_ items: [Item]) async throws(StoreError) -> [PendingChange<Item>] {
        let lotSize = Self.encodingLot
        guard items.count >= 2 * lotSize else { return try encoded(items[...]) }
        let lots = await withTaskGroup(
            of: (Int, Result<[PendingChange<Item>], StoreError>).self,
            returning: [(Int, Result<[PendingChange<Item>], StoreError>)].self
        ) { group in
            for start in stride(from: 0, to: items.count, by: lotSize) {
                group.addTask {
                    let lot = items[start..<min(start + lotSize, items.count)]
                    return (start, Result { () throws(StoreError) in try self.encoded(lot) })
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var changes: [PendingChange<Item>] = []
        changes.reserveCapacity(items.count)
        for (_, lot) in lots.sorted(by: { $0.0 < $1.0 }) { changes += try lot.get() }
        return changes
    }

    private nonisolated func encoded(_ items: ArraySlice<Item>) throws(StoreError) -> [PendingChange<Item>] {
        var changes: [PendingChange<Item>] = []
        changes.reserveCapacity(items.count)
        for item in items { changes.append(try coder.put(item)) }
        return changes
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
        var changes: [PendingChange<Item>] = []
        for id in ids { changes.append(try coder.delete(id)) }
        try await commit(changes)
    }

    // MARK: From a change to its acknowledgement

    private nonisolated func commit(_ changes: [PendingChange<Item>]) async throws(StoreError) {
        try await settle(try await accept(changes))
    }

    enum Acceptance: Sendable {
        case acknowledged
        /// The changes are written, and the caller syncs them on the thread it has.
        case lead(LeadingSync)
    }

    /// Returns when what was accepted is acknowledged.
    nonisolated func settle(_ acceptance: Acceptance) async throws(StoreError) {
        guard case .lead(let sync) = acceptance else { return }
        try await syncEnded(sync.point, sync.run()).get()
    }

    private func accept(_ changes: [PendingChange<Item>]) async throws(StoreError) -> Acceptance {
        try await waitUntilWritable()
        return try await follow(try put(changes, readingOnly: []))
    }

    /// What a change that was put into the log waits for.
    enum Placement {
        case acknowledged
        case lead(LeadingSync)
        /// The next sync serves it.
        case follow
    }

    /// Waits for the next sync where that serves the change.
    ///
    /// To be called in the same step as `put`: a sync that fails in between would have taken the change
    /// back, and the next one would say nothing about it.
    func follow(_ placement: Placement) async throws(StoreError) -> Acceptance {
        switch placement {
        case .acknowledged: return .acknowledged
        case .lead(let sync): return .lead(sync)
        case .follow:
            try await waitForSync()
            return .acknowledged
        }
    }

    /// Puts changes into the log, all in one step without suspension.
    ///
    /// When there is nothing to write, what is on its way to the ids that were changed or read may be
    /// what made it so, and is to be waited for.
    func put(
        _ changes: [PendingChange<Item>],
        readingOnly ids: [Item.ID]
    ) throws(StoreError) -> Placement {
        let effective = try effective(changes)
        if effective.isEmpty {
            let all = changes.map(\.id) + ids
            return all.contains { accepted.newest(of: $0) != nil } ? .follow : .acknowledged
        }
        let first = try append(effective)
        let time = appender.lastTime
        counts.recordsWritten += UInt64(effective.count)
        compaction?.progress.noteSave()
        compactIfDue()
        if case .written(let interval) = configuration.durability {
            for (index, change) in effective.enumerated() { apply(change, first.advanced(by: index), time) }
            syncLater(after: interval)
            return .acknowledged
        }
        accepted.append(effective, from: first, time: time)
        if !syncs.isRunning, let file = appender.file,
            let permit = LeadingSync.Permit.take(configuration.execution)
        {
            syncs.begin()
            return .lead(LeadingSync(file: file, point: appender.syncPoint, permit: permit))
        }
        return .follow
    }

    private func append(_ changes: [PendingChange<Item>]) throws(StoreError) -> SequenceNumber {
        var mutations: [EncodedMutation] = []
        mutations.reserveCapacity(changes.count)
        for change in changes { mutations.append(change.encoded(schema: coder.schemaVersion)) }
        do throws(EngineError) {
            return try appender.append(mutations)
        } catch {
            reportPoison()
            throw StoreError(error)
        }
    }

    /// Returns when a record may be appended.
    func waitUntilWritable() async throws(StoreError) {
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
    private func effective(_ changes: [PendingChange<Item>]) throws(StoreError) -> [PendingChange<Item>] {
        if state.isSpelledInOneWay {
            state.isSpelledInOneWay = changes.allSatisfy { coder.isSpelledInOneWay($0.spelling) }
        }
        // Nearly always, and then nothing has to be looked up.
        if state.isSpelledInOneWay, changes.allSatisfy({ !$0.isDelete }) { return changes }
        var effective: [PendingChange<Item>] = []
        effective.reserveCapacity(changes.count)
        // What this batch has changed by then; a save alone does without.
        var earlier: [Item.ID: PendingChange<Item>]?
        if changes.count > 1 { earlier = Dictionary(minimumCapacity: changes.count) }
        for change in changes {
            let newest = earlier?[change.id] ?? accepted.newest(of: change.id)
            guard let spelled = try spelled(change, after: newest) else { continue }
            effective.append(spelled)
            earlier?[change.id] = spelled
        }
        return effective
    }

    /// The change in the spelling of the live record that it replaces; nil when it deletes nothing.
    private func spelled(
        _ change: PendingChange<Item>,
        after newest: PendingChange<Item>?
    ) throws(StoreError) -> PendingChange<Item>? {
        let live =
            if let newest { newest.isDelete ? nil : newest.spelling } else {
                try state.liveSpelling(of: change.id, coder)
            }
        guard let live else { return change.isDelete ? nil : change }
        return change.spelled(live)
    }

    /// Makes a change visible.
    func apply(_ change: PendingChange<Item>, _ number: SequenceNumber, _ time: Int64) {
        let old =
            if let item = change.item { state.set(change.id, item, as: change.spelling) } else {
                state.remove(change.id)
            }
        recent?.append(change, old: old, number, time)
    }
}
