#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogFormat

/// The newest changes in memory, so that readers who keep up need not read the log. Bounded.
struct RecentChanges<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    private static var limit: Int { 1_024 }

    private var changes: [Change<Item>] = []
    /// The changes before this index were dropped.
    private var dropped = 0
    /// Every change after this number is here.
    private var start: SequenceNumber

    /// Empty; every change after `start` will be added.
    init(after start: SequenceNumber) {
        self.start = start
    }

    mutating func append(
        _ change: PendingChange<Item>,
        old: Item?,
        _ number: SequenceNumber,
        _ time: Int64
    ) {
        changes.append(
            Change(
                change.item == nil ? .deleted : .saved,
                sequenceNumber: number.rawValue,
                time: Date(timeIntervalSince1970: Double(time) / 1_000),
                id: change.id,
                old: old,
                new: change.item
            )
        )
        guard changes.count - dropped > Self.limit else { return }
        start = SequenceNumber(changes[dropped].sequenceNumber)
        dropped += 1
        if dropped == Self.limit {
            changes.removeFirst(dropped)
            dropped = 0
        }
    }

    /// The changes after `position` up to `last`, or nil when some of them are not here.
    func changes(after position: SequenceNumber, upTo last: SequenceNumber) -> [Change<Item>]? {
        guard position >= start else { return nil }
        return changes[dropped...].filter {
            $0.sequenceNumber > position.rawValue && $0.sequenceNumber <= last.rawValue
        }
    }
}
