import LogFormat

/// Records over time, in at most so many equal spans however long the time is.
struct Timeline {
    struct Span {
        var puts: UInt64 = 0
        var deletes: UInt64 = 0
        var bytes: UInt64 = 0

        var operations: UInt64 { puts + deletes }
    }

    static let limit = 96

    /// In milliseconds since 1970-01-01 UTC: where the first span begins.
    private(set) var start: Int64 = 0
    /// The length of a span in milliseconds.
    private(set) var width: Int64 = 1
    private(set) var spans: [Span] = []

    /// A time before the first one counts as the first one: writers do not go back.
    mutating func add(_ record: Record, bytes: UInt64, isNew: Bool) {
        if spans.isEmpty { start = record.time }
        var index = max(0, record.time - start) / width
        while index >= Self.limit {
            merge()
            index = max(0, record.time - start) / width
        }
        while spans.count <= index { spans.append(Span()) }
        spans[Int(index)].bytes += bytes
        guard isNew else { return }
        switch record.operation {
        case .put: spans[Int(index)].puts += 1
        case .delete: spans[Int(index)].deletes += 1
        case .mark: break
        }
    }

    /// Lengths that people know, in milliseconds, each a multiple of the one before: up to a week. Behind that
    /// each is twice the one before.
    private static let widths: [Int64] = [
        1, 2, 10, 20, 100, 200, 1000, 2000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000,
        10_800_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
    ]

    /// Makes spans of the next length.
    private mutating func merge() {
        let longer = Self.widths.first { $0 > width } ?? width * 2
        let count = Int(longer / width)
        width = longer
        let old = spans
        spans = stride(from: 0, to: old.count, by: count).map { index in
            var sum = Span()
            for span in old[index..<min(index + count, old.count)] {
                sum.puts += span.puts
                sum.deletes += span.deletes
                sum.bytes += span.bytes
            }
            return sum
        }
    }

    /// When a span begins.
    func time(of index: Int) -> Int64 { start + Int64(index) * width }
}
