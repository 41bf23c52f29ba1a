#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

/// One version of an item.
public struct Version<Item: Sendable>: Sendable {
    /// The number of the record.
    public let sequenceNumber: UInt64
    /// When it was saved or deleted, to the millisecond.
    public let time: Date
    /// Nil when the item was deleted.
    public let item: Item?
}

/// A point in a store's history.
public enum HistoryMoment: Hashable, Sendable {
    /// After the record of this number. A batch that it lies within does not belong to it.
    case sequenceNumber(UInt64)
    /// After all that was saved up to this time.
    case date(Date)
}

extension LocalRepository {
    /// Every version of an item that the files still hold, oldest first, as far as it is acknowledged.
    ///
    /// Versions that a compaction has replaced are there as long as `StoreConfiguration.retention` keeps
    /// their generation. Reads the files on a thread of its own; the cost grows with them.
    ///
    /// ```swift
    /// for version in try await repository.history(of: "q-001") {
    ///     print(version.sequenceNumber, version.time, version.item?.title ?? "deleted")
    /// }
    /// ```
    ///
    /// - Throws: `StoreError` when the files cannot be read or a version cannot be decoded.
    public func history(of id: Item.ID) async throws(StoreError) -> [Version<Item>] {
        let usual = try coder.spelling(of: id)
        let wanted = try state.liveSpelling(of: id, coder) ?? usual
        let reading = HistoryReading(directory, upTo: acknowledgedLimit)
        let records = try await onCompactionThread { () throws(EngineError) in
            try reading.versions(of: wanted)
        }
        var versions: [Version<Item>] = []
        for record in records { versions.append(try decoding.version(record)) }
        return versions
    }

    /// All items as they were at a moment, in no order.
    ///
    /// Reads the files on a thread of its own; memory and cost grow with the state and with what was
    /// changed since.
    ///
    /// ```swift
    /// let before = try await repository.items(asOf: .date(yesterday))
    /// let atNumber = try await repository.items(asOf: .sequenceNumber(1_000))
    /// ```
    ///
    /// - Throws: `.historyGone` when the files do not reach back so far, which
    ///   `StoreConfiguration.retention` decides; `StoreError` when they cannot be read or decoded.
    public func items(asOf moment: HistoryMoment) async throws(StoreError) -> [Item] {
        let reading = HistoryReading(directory, upTo: acknowledgedLimit)
        let wanted: HistoryReading.Moment =
            switch moment {
            case .sequenceNumber(let number): .sequenceNumber(SequenceNumber(number))
            case .date(let date): .time(Int64((date.timeIntervalSince1970 * 1_000).rounded(.down)))
            }
        let records = try await onCompactionThread { () throws(EngineError) in
            try reading.state(at: wanted)
        }
        guard let records else {
            throw StoreError(
                .historyGone,
                """
                \(location.store) does not reach back to \(moment). Set retention.generations higher to keep more of \
                the past.
                """
            )
        }
        var items: [Item] = []
        items.reserveCapacity(records.count)
        for record in records {
            if let item = try decoding.version(record).item { items.append(item) }
        }
        return items
    }

    nonisolated var decoding: RecordDecoding<Item> {
        RecordDecoding(coder: coder, configuration: configuration, store: location.store)
    }

    /// Up to where readers may see.
    var acknowledgedLimit: LogCursor.Limit {
        let end = configuration.durability == .synced ? appender.stable : appender.written
        return LogCursor.Limit(
            generation: files.generation,
            offset: end.offset,
            sequenceNumber: end.sequenceNumber
        )
    }
}
