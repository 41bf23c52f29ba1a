import LogStorage

/// The file of the pattern that the library replaces: one JSON array of all items.
struct PlainFile {
    private let location: StoreLocation
    private let fileSystem: any FileSystem

    init(_ location: StoreLocation, _ fileSystem: any FileSystem) {
        self.location = location
        self.fileSystem = fileSystem
    }

    /// The saves that put its items into a store, or nil when there is no such file.
    ///
    /// A file that is there and cannot be read or decoded is an error: to begin an empty store in its
    /// place would lose what it holds.
    func changes<Item>(_ coder: ItemCoder<Item>) throws(StoreError) -> [PendingChange<Item>]? {
        guard let bytes = try bytes() else { return nil }
        let items: [Item]
        do {
            items = try coder.items(from: bytes)
        } catch {
            throw refusal("it is no JSON array of \(Item.self): \(error)", cause: error)
        }
        var ids: Set<Item.ID> = []
        var changes: [PendingChange<Item>] = []
        changes.reserveCapacity(items.count)
        for item in items {
            let change = try coder.put(item)
            guard ids.insert(item.id).inserted else {
                throw refusal("two items have the id \(change.spelling)")
            }
            try refuseUnlessReadable(change, coder)
            changes.append(change)
        }
        return changes
    }

    /// An item that does not come back from its own JSON with its id would make a store that never opens.
    private func refuseUnlessReadable<Item>(
        _ change: PendingChange<Item>,
        _ coder: ItemCoder<Item>
    ) throws(StoreError) {
        let read: Item
        do {
            read = try change.value.withUnsafeBytes { try coder.item(from: $0, schema: coder.schemaVersion) }
        } catch {
            throw refusal(
                "the item \(change.spelling) cannot be decoded from what it is encoded as: \(error)",
                cause: error
            )
        }
        guard read.id == change.id else {
            throw refusal(
                """
                the item \(change.spelling) has another id, \(read.id), once it is encoded and decoded. Is the id \
                among the type's coding keys?
                """
            )
        }
    }

    private func bytes() throws(StoreError) -> [UInt8]? {
        try storage { () throws(StorageError) in
            guard try fileSystem.kind(of: location.plainFile) == .file else { return nil }
            guard let file = try fileSystem.openForReading(location.plainFile) else { return nil }
            return try file.bytes(in: 0..<file.length(), path: location.plainFile)
        }
    }

    private func refusal(_ reason: String, cause: (any Error)? = nil) -> StoreError {
        StoreError(
            .importFailed,
            """
            \(location.plainFile) cannot be imported: \(reason). It was not changed and no store was made. Repair the \
            file, or move it away to begin an empty store.
            """,
            cause: cause
        )
    }
}
