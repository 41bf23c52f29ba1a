#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogEngine
import LogFormat

/// Turns the events of a cursor into changes of items.
struct RecordDecoding<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    let coder: ItemCoder<Item>
    let configuration: StoreConfiguration
    /// The path of the store, for messages.
    let store: String

    func changes(_ events: [LogCursor.Event]) throws(StoreError) -> [Change<Item>] {
        var changes: [Change<Item>] = []
        changes.reserveCapacity(events.count)
        for event in events {
            switch event {
            case .reset(let number):
                let time = Date(timeIntervalSince1970: Double(configuration.now()) / 1_000)
                changes.append(Change(.reset, sequenceNumber: number.rawValue, time: time, id: nil))
            case .record(let record):
                if let change = try change(record) { changes.append(change) }
            }
        }
        return changes
    }

    private func change(_ record: RecordCopy) throws(StoreError) -> Change<Item>? {
        do {
            let id = try coder.id(from: record.id)
            let item = try item(record)
            return Change(
                item == nil ? .deleted : .saved,
                sequenceNumber: record.sequenceNumber.rawValue,
                time: Self.date(record),
                id: id,
                new: item
            )
        } catch {
            // As at opening: what cannot be decoded is left out, or it is an error.
            if configuration.undecodable == .carryForward { return nil }
            throw undecodable(record, error)
        }
    }

    /// One version of an item; decoding it must succeed.
    func version(_ record: RecordCopy) throws(StoreError) -> Version<Item> {
        do {
            return Version(
                sequenceNumber: record.sequenceNumber.rawValue,
                time: Self.date(record),
                item: try item(record)
            )
        } catch {
            throw undecodable(record, error)
        }
    }

    private func item(_ record: RecordCopy) throws -> Item? {
        guard record.operation == .put else { return nil }
        return try record.value.withUnsafeBytes { try coder.item(from: $0, schema: record.schema) }
    }

    private static func date(_ record: RecordCopy) -> Date {
        Date(timeIntervalSince1970: Double(record.time) / 1_000)
    }

    private func undecodable(_ record: RecordCopy, _ cause: any Error) -> StoreError {
        StoreError(
            .undecodable,
            "Record \(record.sequenceNumber) of \(store), \(record.id), cannot be decoded: \(cause)",
            cause: cause
        )
    }
}
