#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that happened to a store and that whoever runs it may want to know. Its description is a
/// sentence for a log.
///
/// It never holds an item; messages may name ids and the paths of files. Set `StoreConfiguration.log` to
/// be told.
public struct StoreEvent: Sendable {
    /// What happened. New kinds may be added, so a `switch` over them needs a `default`.
    public enum Kind: Sendable {
        /// The store was opened. Comes first, and what recovery did follows.
        case opened(RecoveryReport)
        /// Opening cut so many bytes from the end of the log that a crash had left there: an append that was cut
        /// short, and that nothing in the file says was synced.
        case tailCut(bytes: UInt64)
        /// Opening has kept a copy of bytes that it removed.
        case quarantined(RecoveryReport.Quarantined)
        /// A snapshot is being written.
        case compactionStarted
        /// The snapshot is durable, and what the retention does not ask for was removed.
        case compactionFinished(CompactionReport)
        /// A compaction failed; the store is as it was. Saves go on unless `poisoned` follows.
        case compactionFailed(StoreError)
        /// The next automatic compaction is tried in so long: longer after each failure.
        case compactionPostponed(by: Duration)
        /// Nothing more is written until the store was closed and opened again.
        case poisoned(StoreError)
        /// The store was given up, whether closing it failed or not.
        case closed
    }

    /// How much it matters.
    public enum Level: Hashable, Sendable {
        /// All is as it should be.
        case info
        /// The store has dealt with something that was not.
        case warning
        /// Somebody has to do something.
        case error
    }

    /// The path of the store's directory.
    public let store: String
    /// When it happened.
    public let time: Date
    /// What happened.
    public let kind: Kind

    /// For tests of a log handler of your own.
    public init(_ kind: Kind, store: String, time: Date) {
        self.kind = kind
        self.store = store
        self.time = time
    }

    /// `.error` when nothing more is written, `.warning` for what recovery cut or kept and for a failed
    /// compaction, `.info` for all else.
    public var level: Level {
        switch kind {
        case .opened(let report): report.undecodable.isEmpty ? .info : .warning
        case .compactionStarted, .compactionFinished, .closed: .info
        case .tailCut, .quarantined, .compactionFailed, .compactionPostponed: .warning
        case .poisoned: .error
        }
    }
}

extension StoreEvent: CustomStringConvertible {
    /// The store's path and what happened, in one line.
    public var description: String { "\(store): \(kind)" }
}

extension StoreEvent.Kind: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .opened(let report): "opened; \(report)"
        case .tailCut(let bytes): "\(bytes) bytes cut from the end of the log"
        case .quarantined(let bytes): "\(bytes), kept as \(bytes.path)"
        case .compactionStarted: "compaction started"
        case .compactionFinished(let report): "compaction finished; \(report)"
        case .compactionFailed(let error): "compaction failed: \(error)"
        case .compactionPostponed(let duration): "compaction is tried again in \(duration)"
        case .poisoned(let error): "nothing more is written: \(error)"
        case .closed: "closed"
        }
    }
}

/// What a compaction did.
public struct CompactionReport: Hashable, Sendable {
    /// The generation of the snapshot that it wrote.
    public let generation: UInt64
    /// The bytes of the snapshot and logs that it was made from.
    public let bytesBefore: UInt64
    /// The bytes of the new snapshot.
    public let bytesAfter: UInt64
    /// The time that it took.
    public let duration: Duration
}

extension CompactionReport: CustomStringConvertible {
    /// Generation, bytes and time, in one line.
    public var description: String {
        "\(bytesBefore) bytes became \(bytesAfter) in snapshot \(generation) in \(duration)"
    }
}
