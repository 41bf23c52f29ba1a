#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

public import class Foundation.Progress

/// A store that another process writes, or nobody: opened without its lock and never changed.
///
/// It shows what is known to be on stable storage: a record appears once a later one, or a clean close,
/// says that it was synced. So it never shows what a crash of the writer could take back, and is one
/// group of saves behind at the most: the last one, until the writer saves again, compacts or closes.
///
/// ```swift
/// let reader = try await ReadOnlyRepository<Question>(directory: directory)
/// print(await reader.count)
/// try await reader.refresh()
/// ```
public actor ReadOnlyRepository<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private let decoding: RecordDecoding<Item>
    private let directory: StoreDirectory
    private let reader: StableReader<Item>
    private var items = ItemCache<Item.ID, Item>()
    /// The number of the last record that was taken in.
    public private(set) var lastSequenceNumber: UInt64 = 0

    /// Opens a store for reading and loads what it holds.
    ///
    /// - Parameters:
    ///   - directory: As for `LocalRepository`.
    ///   - filename: As for `LocalRepository`.
    ///   - configuration: What concerns reading: coding, schema version, undecodable policy.
    ///   - progress: As for `LocalRepository`; cancelling it ends the opening with `.cancelled`.
    /// - Throws: `.filesMissing` when there is no store; `StoreError` when it cannot be read or decoded.
    public init(
        directory: URL = LocalRepository<Item>.defaultDirectory,
        filename: String = "data.json",
        configuration: StoreConfiguration = StoreConfiguration(),
        progress: Progress? = nil
    ) async throws(StoreError) {
        let location = try StoreLocation(directory: directory, filename: filename)
        let decoding = RecordDecoding<Item>(
            coder: try ItemCoder(configuration),
            configuration: configuration,
            store: location.store
        )
        self.decoding = decoding
        self.directory = StoreDirectory(path: location.store, fileSystem: configuration.fileSystem)
        reader = StableReader(self.directory, decoding, after: 0)
        let opening = progress.map { OpeningProgress($0, store: location.store) }
        try await takeIn(opening)
        opening?.finish()
    }

    /// Takes in what has become stable since the last time; returns whether anything has.
    ///
    /// - Throws: `StoreError` when the store cannot be read or decoded; what was loaded stays, and the
    ///   next refresh goes on behind it.
    @discardableResult
    public func refresh() async throws(StoreError) -> Bool {
        try await takeIn(nil)
    }

    @discardableResult
    private func takeIn(_ progress: OpeningProgress?) async throws(StoreError) -> Bool {
        let (changes, last) = try await reader.all(progress)
        for change in changes {
            switch change.kind {
            case .reset: items = ItemCache()
            case .saved: if let id = change.id, let item = change.new { items.set(id, item) }
            case .deleted: if let id = change.id { items.remove(id) }
            }
        }
        lastSequenceNumber = max(lastSequenceNumber, last)
        return !changes.isEmpty
    }

    /// The item with an id, or nil, as of the last refresh.
    public func find(by id: Item.ID) -> Item? {
        items[id]
    }

    /// All items as of the last refresh, in no order.
    public func loadAll() -> [Item] {
        items.items()
    }

    /// The number of items as of the last refresh.
    public var count: Int { items.count }

    /// The changes since a number, and then each one as it becomes stable, until the task is cancelled.
    ///
    /// The files are looked at again after each `interval` in which there was nothing new. It is
    /// independent of `refresh`.
    public nonisolated func changes(
        since number: UInt64 = 0,
        every interval: Duration = .milliseconds(100)
    ) -> Changes<Item> {
        let (directory, decoding) = (directory, decoding)
        return Changes {
            let reader = StableReader(directory, decoding, after: number)
            return { () async throws(StoreError) in try await reader.next(every: interval) }
        }
    }
}

/// Reads what is known to be stable in a store that someone else writes.
private actor StableReader<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    private let directory: StoreDirectory
    private let decoding: RecordDecoding<Item>
    private let cursor: LogCursor
    private var limit: DurableLimit
    private var ready: ArraySlice<Change<Item>> = []
    /// Read and not yet decoded: a record that cannot be is met again by the next call.
    private var undecoded: [LogCursor.Event] = []

    init(_ directory: StoreDirectory, _ decoding: RecordDecoding<Item>, after number: UInt64) {
        self.directory = directory
        self.decoding = decoding
        cursor = LogCursor(directory, after: SequenceNumber(min(number, SequenceNumber.highest.rawValue - 1)))
        limit = DurableLimit(directory)
    }

    /// Everything that is new, and the number that it reaches. After an error nothing of it is lost: the
    /// next call has it.
    func all(_ progress: OpeningProgress?) async throws(StoreError) -> ([Change<Item>], UInt64) {
        if let progress {
            try engine { () throws(EngineError) in progress.willRead(try directory.bytesToRead()) }
        }
        while true {
            try engine { () throws(EngineError) in try progress?.didTakeIn(cursor.bytesRead) }
            let more = try await read()
            ready += more
            if more.isEmpty { break }
        }
        defer { ready = [] }
        return (Array(ready), cursor.position.rawValue)
    }

    /// The next change; nil when the task is cancelled.
    func next(every interval: Duration) async throws(StoreError) -> Change<Item>? {
        while true {
            if let change = ready.popFirst() { return change }
            if Task.isCancelled { return nil }
            ready = try await read()[...]
            guard ready.isEmpty else { continue }
            // Cancelled while it waits, the loop ends above.
            try? await Task.sleep(for: interval)
        }
    }

    /// The next events up to what is stable; empty when there are none.
    ///
    /// A file that vanishes, or is replaced, or ends in an append under the reader, is looked at again;
    /// what stays wrong is an error.
    private func read() async throws(StoreError) -> [Change<Item>] {
        var attempts = 0
        while undecoded.isEmpty {
            switch Result(catching: { () throws(EngineError) in try events() }) {
            case .success(let events):
                if events.isEmpty { return [] }
                undecoded = events
            case .failure(let error):
                attempts += 1
                if attempts == 50 || error.code == .filesMissing { throw StoreError(error) }
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        let changes = try decoding.changes(undecoded)
        undecoded = []
        return changes
    }

    private func events() throws(EngineError) -> [LogCursor.Event] {
        guard let current = try limit.current() else {
            throw EngineError(.filesMissing, "\(directory.path) holds no store to read.")
        }
        return try cursor.next(upTo: current)
    }
}
