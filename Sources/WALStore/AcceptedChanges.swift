import LogEngine
import LogFormat

/// Changes that are in the log and not yet acknowledged, in the order of their numbers.
struct AcceptedChanges<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    private var queue: [(number: SequenceNumber, time: Int64, change: PendingChange<Item>)] = []
    /// The changes before this index were taken.
    private var taken = 0
    /// The newest of each id.
    private var newest: [Item.ID: PendingChange<Item>] = [:]

    var isEmpty: Bool { taken == queue.count }

    /// The newest change of an id that is on its way, if any.
    func newest(of id: Item.ID) -> PendingChange<Item>? {
        newest.isEmpty ? nil : newest[id]
    }

    mutating func append(_ changes: [PendingChange<Item>], from first: SequenceNumber, time: Int64) {
        var number = first
        for change in changes {
            queue.append((number, time, change))
            newest[change.id] = change
            number = number.next
        }
    }

    /// Takes the changes up to and with `last`, in order.
    mutating func take(
        upTo last: SequenceNumber,
        _ body: (PendingChange<Item>, SequenceNumber, Int64) -> Void
    ) {
        // Nearly always all of them, and then nobody has to look for each.
        let isAll = queue.last.map { $0.number <= last } ?? true
        while taken < queue.count, queue[taken].number <= last {
            let (number, time, change) = queue[taken]
            body(change, number, time)
            if !isAll, newest[change.id] === change { newest[change.id] = nil }
            taken += 1
        }
        if isAll {
            queue.removeAll(keepingCapacity: queue.capacity <= 4096)
            newest.removeAll(keepingCapacity: newest.capacity <= 4096)
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
