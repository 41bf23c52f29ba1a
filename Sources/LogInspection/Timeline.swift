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
    /// The length of a span in milliseconds: a second, doubled as often as it takes.
    private(set) var width: Int64 = 1000
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

    /// Makes one span of two.
    private mutating func merge() {
        width *= 2
        let old = spans
        spans = stride(from: 0, to: old.count, by: 2).map { index in
            var span = old[index]
            if index + 1 < old.count {
                span.puts += old[index + 1].puts
                span.deletes += old[index + 1].deletes
                span.bytes += old[index + 1].bytes
            }
            return span
        }
    }

    /// When a span begins.
    func time(of index: Int) -> Int64 { start + Int64(index) * width }
}
