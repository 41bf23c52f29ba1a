package import LogEngine
import LogFormat

/// A change as a test writes it down.
package struct Change: Hashable, CustomStringConvertible, Sendable {
    package var id: String
    /// Nil for a delete.
    package var value: String?

    package static func put(_ id: String, _ value: String) -> Change { Change(id: id, value: value) }

    package static func delete(_ id: String) -> Change { Change(id: id, value: nil) }

    package var encoded: EncodedMutation {
        EncodedMutation(
            id: CanonicalID(id),
            operation: value.map { .put(value: Array($0.utf8), schema: 1) } ?? .delete
        )
    }

    package var description: String { value.map { "\(id)=\($0)" } ?? "-\(id)" }
}

extension Moment {
    package func after(_ changes: [Change]) -> Moment {
        var moment = self
        for change in changes { moment.state[CanonicalID(change.id).description] = change.value }
        moment.number += UInt64(changes.count)
        return moment
    }

    /// The same state without the mark at its end.
    var withoutMark: Moment { Moment(number: number - 1, state: state) }
}

/// What a store may be found to hold: all that was acknowledged, and of the rest some first part.
///
/// This is the oracle of every layer: invariants 1, 2 and 3 in one set.
package struct StoreModel: Sendable {
    /// With all that was written.
    package private(set) var current: Moment
    /// What may open after a power cut.
    package private(set) var allowed: Set<Moment>
    /// What is being written: a death of the process leaves it or not.
    private var inFlight: Moment?
    private var hasLostPower = false
    /// What is there without the mark at the end of what is stable, if that is one.
    private var beforeMark: Moment?
    private var endsInMark: Bool
    /// Follows every change of the model, for a watcher that looks at it while the store is at work.
    package var watcher: (@Sendable (StoreModel) -> Void)? { didSet { publish() } }
    /// Differs for every change, so that a watcher can tell whether it has seen the model.
    package private(set) var version = 0

    package init(_ moment: Moment = .beginning, endsInMark: Bool = false) {
        current = moment
        self.endsInMark = endsInMark
        allowed = [moment]
        if endsInMark { beforeMark = moment.withoutMark }
    }

    /// The changes are about to be written as one batch. Should that fail, a power cut may still leave
    /// them, until a sync has made the cut stable.
    package mutating func willAppend(_ changes: [Change]) {
        let next = current.after(changes)
        allowed.insert(next)
        inFlight = next
        publish()
    }

    package mutating func didAppend(_ changes: [Change]) {
        current = current.after(changes)
        inFlight = nil
        endsInMark = false
        publish()
    }

    package mutating func willMark() {
        allowed.insert(marked)
        inFlight = marked
        publish()
    }

    package mutating func didMark() {
        (beforeMark, current, endsInMark) = (current, marked, true)
        inFlight = nil
        publish()
    }

    /// Opening writes a mark anew, so a power cut in its midst may take the mark, and nothing else.
    package mutating func willOpen() {
        if let beforeMark { allowed.insert(beforeMark) }
        publish()
    }

    /// The store was opened to `moment`, and all of that is stable.
    package mutating func didOpen(_ moment: Moment, endsInMark: Bool) {
        let (watcher, version) = (watcher, version)
        self = StoreModel(moment, endsInMark: endsInMark)
        self.version = version
        self.watcher = watcher
    }

    /// All that was written is acknowledged.
    package mutating func didSync() {
        allowed = [current]
        inFlight = nil
        if !endsInMark { beforeMark = nil }
        publish()
    }

    /// The log was left for a new one, which has no mark.
    package mutating func didRotate() {
        beforeMark = nil
        endsInMark = false
        publish()
    }

    /// The machine went off at rest: what is there is not known before the store is opened.
    package mutating func didLosePower() {
        hasLostPower = true
        publish()
    }

    /// After a power cut.
    package func allows(_ moment: Moment) -> Bool { allowed.contains(moment) }

    /// After the death of the process: nothing that was written is lost.
    package func allowsAfterKill(_ moment: Moment) -> Bool {
        hasLostPower ? allows(moment) : moment == current || moment == inFlight
    }

    private var marked: Moment { Moment(number: current.number + 1, state: current.state) }

    private mutating func publish() {
        version += 1
        watcher?(self)
    }
}
