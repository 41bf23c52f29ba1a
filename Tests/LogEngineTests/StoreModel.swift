import LogEngine
import LogFormat

/// A change as a test writes it down.
struct Change: Hashable, CustomStringConvertible {
    var id: String
    /// Nil for a delete.
    var value: String?

    static func put(_ id: String, _ value: String) -> Change { Change(id: id, value: value) }

    static func delete(_ id: String) -> Change { Change(id: id, value: nil) }

    var encoded: EncodedMutation {
        EncodedMutation(
            id: CanonicalID(id),
            operation: value.map { .put(value: Array($0.utf8), schema: 1) } ?? .delete
        )
    }

    var description: String { value.map { "\(id)=\($0)" } ?? "-\(id)" }
}

extension Moment {
    func after(_ changes: [Change]) -> Moment {
        var moment = self
        for change in changes { moment.state[CanonicalID(change.id).description] = change.value }
        moment.number += UInt64(changes.count)
        return moment
    }
}

/// What a store may be found to hold: all that was acknowledged, and of the rest some first part.
struct StoreModel {
    /// With all that was written.
    private(set) var current: Moment
    /// What may open after a power cut.
    private(set) var allowed: Set<Moment>

    init(_ moment: Moment = .beginning) {
        current = moment
        allowed = [moment]
    }

    /// The changes are about to be written as one batch. Should that fail, a power cut may still leave
    /// them, until a sync has made the cut stable.
    mutating func willAppend(_ changes: [Change]) { allowed.insert(current.after(changes)) }

    mutating func didAppend(_ changes: [Change]) { current = current.after(changes) }

    mutating func willMark() { allowed.insert(marked) }

    mutating func didMark() { current = marked }

    /// All that was written is acknowledged.
    mutating func didSync() { allowed = [current] }

    func allows(_ moment: Moment) -> Bool { allowed.contains(moment) }

    private var marked: Moment { Moment(number: current.number + 1, state: current.state) }
}
