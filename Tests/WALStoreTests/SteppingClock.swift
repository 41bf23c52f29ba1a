import Synchronization

/// A clock that shows the given times one after the other, and the last for ever.
final class SteppingClock: Sendable {
    private let times: Mutex<[Int64]>

    init(_ times: [Int64]) {
        self.times = Mutex(times)
    }

    func next() -> Int64 {
        times.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 0 }
    }
}

/// Counts what tasks have done.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
    }
}
