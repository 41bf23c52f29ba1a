import TestSupport

/// A layer, run over many seeds on all processors.
package struct Campaign: Sendable {
    package enum Goal: Sendable {
        /// So many seeds.
        case units(Int)
        /// So many disks that a store was opened on and judged.
        case states(Int)
        /// So many distinct disks.
        case distinctStates(Int)
        case time(Duration)
    }

    package var layer: Layer
    package var goal: Goal
    package var firstSeed: UInt64 = 0
    package var sabotage: Sabotage?
    package var workers: Int
    /// Asked after each block of seeds, with what has been done so far; false ends the campaign there.
    package var goesOn: @Sendable (Report) -> Bool = { _ in true }

    package init(
        _ layer: Layer,
        _ goal: Goal,
        firstSeed: UInt64 = 0,
        sabotage: Sabotage? = nil,
        workers: Int = 2
    ) {
        self.layer = layer
        self.goal = goal
        self.firstSeed = firstSeed
        self.sabotage = sabotage
        self.workers = workers
    }

    package struct Report: Sendable {
        package var layer: Layer
        package var seeds: Range<UInt64>
        package var tally: Tally
        package var duration: Duration
        /// False when it was broken off, by a failure or from outside.
        package var reachedGoal = false

        /// Counters that must not be zero and are.
        package var missing: [Counter] {
            layer.required.filter { tally.counts[$0, default: 0] == 0 }
        }

        package var isPassed: Bool { reachedGoal && tally.failures.isEmpty && missing.isEmpty }

        /// Disks that were judged in a second.
        package var rate: Int { Int(Double(tally.states) / (duration / .seconds(1))) }
    }

    /// Runs until the goal is reached or a failure is found.
    package func run() async -> Report { await onOwnThread { runHere() } }

    private func runHere() -> Report {
        let start = ContinuousClock.now
        var report = Report(layer: layer, seeds: firstSeed..<firstSeed, tally: Tally(), duration: .zero)
        while report.tally.failures.isEmpty, let count = nextCount(report) {
            let seeds = report.seeds.upperBound..<report.seeds.upperBound + UInt64(count)
            report.tally.add(run(seeds))
            report.seeds = firstSeed..<seeds.upperBound
            report.duration = ContinuousClock.now - start
            guard goesOn(report) else { break }
        }
        report.reachedGoal = nextCount(report) == nil
        return report
    }

    /// How many seeds come next; nil when the goal is reached.
    private func nextCount(_ report: Report) -> Int? {
        let block = workers * layer.seedsAtATime
        switch goal {
        case .units(let count):
            let rest = count - report.seeds.count
            return rest > 0 ? min(block, rest) : nil
        case .states(let count): return report.tally.states < count ? block : nil
        case .distinctStates(let count): return report.tally.distinct.count < count ? block : nil
        case .time(let duration): return report.duration < duration ? block : nil
        }
    }

    private func run(_ seeds: Range<UInt64>) -> Tally {
        var sum = Tally()
        if let failure = repeated(seeds.lowerBound) {
            sum.failures = [failure]
            return sum
        }
        let tallies = inParallel(workers) { worker in
            var tally = Tally()
            for seed in stride(
                from: seeds.lowerBound + UInt64(worker),
                to: seeds.upperBound,
                by: workers
            ) where tally.failures.isEmpty {
                layer.run(CampaignUnit(layer, seed: seed, sabotage: sabotage), &tally)
            }
            return tally
        }
        // In the order of the workers, or the trace would depend on their speed.
        for tally in tallies { sum.add(tally) }
        return sum
    }

    /// Runs one seed of a block twice: it has to give the same trace.
    private func repeated(_ seed: UInt64) -> Failure? {
        guard layer != .damage, layer != .faults || seed == firstSeed, seed % 256 == 0 || seed == firstSeed
        else {
            return nil
        }
        let unit = CampaignUnit(layer, seed: seed, sabotage: sabotage)
        let traces = (0..<2).map { _ in
            var tally = Tally()
            layer.run(unit, &tally)
            return tally.trace
        }
        guard traces[0] != traces[1] else { return nil }
        let violation = Violation(.campaignIsRepeatable, "one seed gave the traces \(traces)")
        return Failure(unit, place: "seed \(seed)", message: "\(violation)")
    }
}

extension Failure {
    /// The same failure with as few steps as a search of at most `tries` runs finds.
    package func shrunk(tries: Int = 400) -> Failure {
        var best = self
        var kept = unit.keep ?? Array(unit.layer.descriptions(seed: unit.seed).indices)
        var tries = tries
        var size = max(1, kept.count / 2)
        while size >= 1 {
            var start = 0
            while start < kept.count, tries > 0 {
                var fewer = kept
                fewer.removeSubrange(start..<min(kept.count, start + size))
                tries -= 1
                if let failure = Self.first(of: unit, keeping: fewer) {
                    (best, kept) = (failure, fewer)
                } else {
                    start += size
                }
            }
            if size == 1 { break }
            size /= 2
        }
        return best
    }

    private static func first(of unit: CampaignUnit, keeping keep: [Int]) -> Failure? {
        var unit = unit
        unit.keep = keep
        var tally = Tally()
        unit.layer.run(unit, &tally)
        return tally.failures.first
    }

    /// All that a person needs, with the command that runs it again.
    package var report: String {
        """
        \(unit.layer.rawValue), seed \(unit.seed): \(message)
          at: \(place)
          steps: \(unit.descriptions.joined(separator: "; "))
          before it: \(trace.joined(separator: ", "))
          again: \(unit.command)
        """
    }
}
