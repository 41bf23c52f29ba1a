import LogFormat

/// Finds the records of damaged logs that are out of order: of all ways to read the logs with rising
/// numbers, the one that keeps the most records counts.
///
/// To take the records as they come would let a single stray line with a high number cost all behind it.
/// Memory and time grow with the places where the numbers do not go on, not with the records.
struct SalvageOrder {
    /// Records that follow each other, by place and by number.
    private struct Run {
        var file: Int
        var offsets: Range<UInt64>
        var first: UInt64
        var last: UInt64
    }

    /// Beyond so many the records are taken as they come: to compare all pairs would take too long.
    private static let limit = 4000

    private var runs: [Run] = []
    private var isTooLong = false

    /// Takes up a sound record; `file` rises from log to log.
    mutating func observe(_ record: Record, _ place: LinePlace, in file: Int) {
        let number = record.sequenceNumber.rawValue
        if let last = runs.last, last.file == file, last.last + 1 == number {
            runs[runs.count - 1].last = number
            runs[runs.count - 1].offsets = last.offsets.lowerBound..<place.range.upperBound
        } else if runs.count < Self.limit {
            runs.append(Run(file: file, offsets: place.range, first: number, last: number))
        } else {
            isTooLong = true
        }
    }

    /// The bytes of the records that are out of order, by file; in each they rise.
    func strays() -> [Int: [Range<UInt64>]] {
        let isInOrder = zip(runs, runs.dropFirst()).allSatisfy { $0.last < $1.first }
        guard !isTooLong, !isInOrder else { return [:] }
        let kept = longestChain()
        var strays: [Int: [Range<UInt64>]] = [:]
        for (index, run) in runs.enumerated() where !kept.contains(index) {
            strays[run.file, default: []].append(run.offsets)
        }
        return strays
    }

    /// The runs that together have the most records whose numbers rise. A run may repeat numbers of those
    /// before it; its others count.
    private func longestChain() -> Set<Int> {
        var lengths: [UInt64] = []
        var before: [Int?] = []
        for (index, run) in runs.enumerated() {
            var best: (length: UInt64, before: Int?) = (run.last - run.first + 1, nil)
            for other in 0..<index where runs[other].last < run.last {
                let length = lengths[other] + run.last - max(runs[other].last, run.first - 1)
                if length > best.length { best = (length, other) }
            }
            lengths.append(best.length)
            before.append(best.before)
        }
        // Of two that are as long, the one that ends lower leaves fewer numbers missing.
        let last = runs.indices.max { left, right in
            (lengths[left], runs[right].last) < (lengths[right], runs[left].last)
        }
        var kept: Set<Int> = []
        var next = last
        while let index = next {
            kept.insert(index)
            next = before[index]
        }
        return kept
    }
}
