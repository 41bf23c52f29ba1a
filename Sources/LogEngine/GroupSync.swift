/// Who waits for which sync: one runs at a time and serves everyone who wrote before it began.
///
/// A value without I/O. The owner runs the syncs and tells how they ended.
package struct GroupSync<Waiter> {
    /// They wrote before the sync in flight began.
    private var inFlight: [Waiter] = []
    /// They wrote after it began, so it proves nothing about them.
    private var next: [Waiter] = []
    /// Whether a sync runs.
    package private(set) var isRunning = false

    package init() {}

    /// Joins the sync that begins next. The owner begins it at once when none runs.
    package mutating func join(_ waiter: Waiter) {
        next.append(waiter)
    }

    /// Whether someone waits for a sync that has not begun.
    package var hasNext: Bool { !next.isEmpty }

    /// A sync begins; it serves everyone who has joined.
    package mutating func begin() {
        precondition(!isRunning, "One sync runs at a time.")
        isRunning = true
        swap(&inFlight, &next)
    }

    /// The sync has ended; returns those it served.
    package mutating func end() -> [Waiter] {
        isRunning = false
        defer { inFlight = [] }
        return inFlight
    }

    /// Nobody is served any more; returns everyone who waits.
    package mutating func fail() -> [Waiter] {
        isRunning = false
        defer { (inFlight, next) = ([], []) }
        return inFlight + next
    }
}
