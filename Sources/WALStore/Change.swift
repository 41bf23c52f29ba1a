#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One thing that happened to a store, as a feed delivers it.
public struct Change<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// `new` was saved.
        case saved
        /// The item was deleted.
        case deleted
        /// What the reader asked for is gone: forget everything. The saves that follow, up to
        /// `sequenceNumber`, are the whole state; after them the feed goes on as usual.
        case reset
    }

    /// What happened.
    public let kind: Kind
    /// The number of the record. A reader that has dealt with a save or delete and comes back later asks
    /// for the changes since this. For a reset, the last number of the state that follows: it is dealt
    /// with only when a later number has come.
    public let sequenceNumber: UInt64
    /// When it was saved or deleted; for a reset, when the reader was told.
    public let time: Date
    /// Nil for a reset.
    public let id: Item.ID?
    /// The item that was replaced or deleted, where the feed still had it in memory: a reader that keeps
    /// up gets it, one that is behind reads from the log, which holds new values only.
    public let old: Item?
    /// The item that was saved.
    public let new: Item?

    /// For tests and for conformances to `Repository` of your own.
    public init(
        _ kind: Kind,
        sequenceNumber: UInt64,
        time: Date,
        id: Item.ID?,
        old: Item? = nil,
        new: Item? = nil
    ) {
        self.kind = kind
        self.sequenceNumber = sequenceNumber
        self.time = time
        self.id = id
        self.old = old
        self.new = new
    }
}

/// The changes of a store, in order, without an end until the store is closed.
///
/// Each loop over it begins anew, at the number that was asked for. Cancelling the task ends the loop.
///
/// A reader that keeps a state of its own takes each change in and writes down its number, in one step if
/// it can; after a relaunch it goes on from there.
///
/// ```swift
/// var titles: [String: String] = [:]
/// for try await change in repository.changes(since: lastNumber) {
///     switch change.kind {
///     case .reset: titles = [:]
///     case .saved, .deleted: if let id = change.id { titles[id] = change.new?.title }
///     }
/// }
/// ```
public struct Changes<Item: Identifiable & Sendable>: AsyncSequence, Sendable where Item.ID: Sendable {
    public typealias Element = Change<Item>
    public typealias Failure = StoreError

    private let begin: @Sendable () -> @Sendable () async throws(StoreError) -> Change<Item>?

    /// A sequence whose loops each call `begin` and then what it returns, until that gives nil. For
    /// conformances to `Repository` of your own.
    public init(_ begin: @escaping @Sendable () -> @Sendable () async throws(StoreError) -> Change<Item>?) {
        self.begin = begin
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(nextChange: begin())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let nextChange: @Sendable () async throws(StoreError) -> Change<Item>?

        public mutating func next() async throws(StoreError) -> Change<Item>? {
            try await nextChange()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> Change<Item>? {
            try await nextChange()
        }
    }
}
