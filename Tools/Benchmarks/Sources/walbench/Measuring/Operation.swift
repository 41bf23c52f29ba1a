/// One line of the list of goals: what is measured, by whom, and what is to be reached.
struct Operation: Sendable {
    /// As in `P1`.
    var number: String
    var title: String
    /// What each figure includes.
    var includes: String
    var goals: [Goal] = []
    var contestants: [Contestant] = []
    /// Why there is nothing to measure, if so.
    var notBuilt: String?
}

/// Someone who does an operation: the project, a peer, the floor.
struct Contestant: Sendable {
    /// Runs the operation once and returns its figures.
    typealias Round = @Sendable () async throws -> [Figure]

    var name: String
    /// What is done once, before the first round; what the returned closure holds ends with it.
    var prepare: @Sendable () async throws -> Round

    init(_ name: String, prepare: @escaping @Sendable () async throws -> Round) {
        self.name = name
        self.prepare = prepare
    }

    /// A contestant that begins anew in each round.
    init(_ name: String, round: @escaping Round) {
        self.init(name, prepare: { round })
    }

    static let project = "WALStore"
}

/// What was measured in one round.
struct Figure: Hashable, Sendable {
    /// With its unit, as in `p50 µs`.
    var metric: String
    var value: Double

    init(_ metric: String, _ value: Double) {
        self.metric = metric
        self.value = value
    }
}

/// What is to be reached: a figure divided by another of the same run, or a figure by itself.
struct Goal: Sendable {
    enum Bound: Hashable, Sendable {
        case atMost(Double)
        case atLeast(Double)

        func isReached(by value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }
    }

    struct Term: Hashable, Sendable {
        var contestant: String
        var metric: String

        init(_ contestant: String, _ metric: String) {
            self.contestant = contestant
            self.metric = metric
        }
    }

    /// As it stands in the list of goals.
    var text: String
    var subject: Term
    /// The best of these counts; none for a figure by itself.
    var against: [Term] = []
    var bound: Bound

    init(_ text: String, _ subject: Term, against: [Term] = [], _ bound: Bound) {
        self.text = text
        self.subject = subject
        self.against = against
        self.bound = bound
    }

    /// The project's figure against the best of some contestants' figures of the same name.
    init(_ text: String, _ metric: String, of contestants: [String], _ bound: Bound) {
        self.init(
            text,
            Term(Contestant.project, metric),
            against: contestants.map { Term($0, metric) },
            bound
        )
    }
}
