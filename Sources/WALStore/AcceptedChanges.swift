import LogEngine
import LogFormat

/// Changes that are in the log and not yet acknowledged, in the order of their numbers.
struct AcceptedChanges<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    private var queue: [(number: SequenceNumber, change: Change<Item>)] = []
    /// The changes before this index were taken.
    private var taken = 0
    /// The newest of each id.
    private var newest: [Item.ID: (number: SequenceNumber, change: Change<Item>)] = [:]

    var isEmpty: Bool { taken == queue.count }

    /// The newest change of an id that is on its way, if any.
    func newest(of id: Item.ID) -> Change<Item>? {
        newest.isEmpty ? nil : newest[id]?.change
    }

    mutating func append(_ changes: [Change<Item>], from first: SequenceNumber) {
        for (index, change) in changes.enumerated() {
            let number = first.advanced(by: index)
            queue.append((number, change))
            newest[change.id] = (number, change)
        }
    }

    /// Takes the changes up to and with `last`, in order.
    mutating func take(upTo last: SequenceNumber, _ body: (Change<Item>) -> Void) {
        while taken < queue.count, queue[taken].number <= last {
            let (number, change) = queue[taken]
            body(change)
            if newest[change.id]?.number == number { newest[change.id] = nil }
            taken += 1
        }
        if taken == queue.count {
            queue.removeAll(keepingCapacity: queue.capacity <= 4096)
            taken = 0
        } else if taken > 4096 {
            queue.removeFirst(taken)
            taken = 0
        }
    }

    mutating func removeAll() {
        self = AcceptedChanges()
    }
}
