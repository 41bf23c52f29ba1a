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
    /// What is there without the mark at the end of what is stable, if that is one.
    private var beforeMark: Moment?
    private var endsInMark: Bool

    init(_ moment: Moment = .beginning, endsInMark: Bool = false) {
        current = moment
        self.endsInMark = endsInMark
        allowed = [moment]
        if endsInMark { beforeMark = Moment(number: moment.number - 1, state: moment.state) }
    }

    /// The changes are about to be written as one batch. Should that fail, a power cut may still leave
    /// them, until a sync has made the cut stable.
    mutating func willAppend(_ changes: [Change]) { allowed.insert(current.after(changes)) }

    mutating func didAppend(_ changes: [Change]) {
        current = current.after(changes)
        endsInMark = false
    }

    mutating func willMark() { allowed.insert(marked) }

    mutating func didMark() { (beforeMark, current, endsInMark) = (current, marked, true) }

    /// Opening writes a mark anew, so a power cut in its midst may take the mark, and nothing else.
    mutating func willOpen() {
        if let beforeMark { allowed.insert(beforeMark) }
    }

    /// All that was written is acknowledged.
    mutating func didSync() {
        allowed = [current]
        if !endsInMark { beforeMark = nil }
    }

    func allows(_ moment: Moment) -> Bool { allowed.contains(moment) }

    private var marked: Moment { Moment(number: current.number + 1, state: current.state) }
}
