/// How long each of many calls took.
struct Samples: Sendable {
    private var nanoseconds: [Int64] = []

    init(capacity: Int = 0) {
        nanoseconds.reserveCapacity(capacity)
    }

    mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        nanoseconds.append(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    var isEmpty: Bool { nanoseconds.isEmpty }

    /// In microseconds; 0.5 is the median.
    func percentile(_ part: Double) -> Double {
        guard !nanoseconds.isEmpty else { return .nan }
        let sorted = nanoseconds.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1_000
    }

    /// In microseconds.
    var longest: Double { Double(nanoseconds.max() ?? 0) / 1_000 }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// How long a piece of work takes, in seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start).inSeconds
}

/// How long a piece of work takes, in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start).inSeconds
}
