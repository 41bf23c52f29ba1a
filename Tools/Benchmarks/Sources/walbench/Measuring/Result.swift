/// All that was measured of one operation.
struct OperationResult: Sendable {
    var operation: Operation
    /// By contestant and metric, a value a round, in the order of the rounds.
    private(set) var values: [Goal.Term: [Double]] = [:]
    /// The terms in the order in which they were first measured.
    private(set) var terms: [Goal.Term] = []
    /// Contestants that failed, and why.
    var failures: [(contestant: String, reason: String)] = []

    init(_ operation: Operation) {
        self.operation = operation
    }

    mutating func add(_ figures: [Figure], of contestant: String) {
        for figure in figures {
            let term = Goal.Term(contestant, figure.metric)
            if values[term] == nil { terms.append(term) }
            values[term, default: []].append(figure.value)
        }
    }

    func spread(of term: Goal.Term) -> Spread? {
        values[term].flatMap { Spread($0) }
    }

    /// How a goal was met, or nil when one of its sides was not measured.
    func standing(of goal: Goal) -> Standing? {
        guard let subject = values[goal.subject], let own = Spread(subject) else { return nil }
        guard !goal.against.isEmpty else {
            return Standing(goal: goal, ratio: own, best: nil)
        }
        let others = goal.against.compactMap { term in
            values[term].flatMap { values in Spread(values).map { (term, values, $0) } }
        }
        let best =
            switch goal.bound {
            case .atMost: others.min { $0.2.median < $1.2.median }
            case .atLeast: others.max { $0.2.median < $1.2.median }
            }
        guard let (term, values, spread) = best else { return nil }
        // The spread of the ratio is that of the rounds, whose sides ran one after the other.
        guard var ratio = Spread(zip(subject, values).map { $0 / $1 }) else { return nil }
        ratio.median = own.median / spread.median
        return Standing(goal: goal, ratio: ratio, best: term)
    }
}

struct Standing: Sendable {
    var goal: Goal
    var ratio: Spread
    /// What it was measured against.
    var best: Goal.Term?

    var isReached: Bool { goal.bound.isReached(by: ratio.median) }
}

/// The median of some rounds and their ends.
struct Spread: Codable, Sendable {
    var median: Double
    var lowest: Double
    var highest: Double

    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        (lowest, highest) = (first, last)
    }
}
