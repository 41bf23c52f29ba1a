import Foundation

/// What a run has found, as text or as JSON.
struct Report {
    let options: Options
    let machine: Machine
    let results: [OperationResult]

    var notes: [String] {
        var notes = [
            "\(machine.date), commit \(machine.commit), \(machine.processors) x \(machine.processor), Linux "
                + "\(machine.kernel), \(machine.fileSystem), load \(machine.load); medians of \(options.roundCount) rounds in turn"
        ]
        if options.isQuick {
            notes.append("Quick: a twentieth of the records. It shows that the benchmark runs.")
        }
        if !Peers.missing.isEmpty { notes.append("Missing peers: \(Peers.missing.joined(separator: ", ")).") }
        return notes
    }

    // MARK: Text

    /// What the figures of the operations come to.
    var summary: String { (notes + ["Goals\n" + goals]).joined(separator: "\n\n") }

    /// The figures of one operation.
    static func text(of result: OperationResult) -> String {
        let operation = result.operation
        let head = "\(operation.number)  \(operation.title)"
        if let reason = operation.notBuilt { return "\(head)\nnot built: \(reason)" }
        var table = Table("who", "figure", "median", "min – max")
        for term in result.terms {
            guard let spread = result.spread(of: term) else { continue }
            table.append(
                term.contestant,
                term.metric,
                walbench.text(of: spread.median),
                "\(walbench.text(of: spread.lowest)) – \(walbench.text(of: spread.highest))"
            )
        }
        let failures = result.failures.map { "\($0.contestant) failed: \($0.reason)" }
        return ([head, "Includes: \(operation.includes).", table.text] + failures).joined(separator: "\n")
    }

    private var goals: String {
        var table = Table("#", "goal", "measured", "min – max", "against", "reached")
        for result in results {
            let operation = result.operation
            if let reason = operation.notBuilt {
                table.append(operation.number, operation.title, "not built", "", reason, "")
            }
            for goal in operation.goals where operation.notBuilt == nil {
                guard let standing = result.standing(of: goal) else {
                    table.append(operation.number, goal.text, "not measured", "", "", "")
                    continue
                }
                let ratio = standing.ratio
                table.append(
                    operation.number,
                    goal.text,
                    walbench.text(of: ratio.median),
                    "\(walbench.text(of: ratio.lowest)) – \(walbench.text(of: ratio.highest))",
                    standing.best.map { $0.contestant } ?? "",
                    standing.isReached ? "yes" : "NO"
                )
            }
        }
        return table.text
    }

    // MARK: JSON

    private struct JSON: Encodable {
        struct Figure: Encodable {
            var contestant: String
            var metric: String
            var spread: Spread
            var values: [Double]
        }

        struct Standing: Encodable {
            var goal: String
            var against: String?
            var ratio: Spread?
            var isReached: Bool?
        }

        struct Operation: Encodable {
            var number: String
            var title: String
            var includes: String
            var notBuilt: String?
            var figures: [Figure]
            var goals: [Standing]
            var failures: [String]
        }

        var machine: Machine
        var isQuick: Bool
        var rounds: Int
        var missingPeers: [String]
        var operations: [Operation]
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let json = JSON(
            machine: machine,
            isQuick: options.isQuick,
            rounds: options.roundCount,
            missingPeers: Peers.missing,
            operations: results.map { operation(of: $0) }
        )
        return String(decoding: try encoder.encode(json), as: UTF8.self)
    }

    private func operation(of result: OperationResult) -> JSON.Operation {
        JSON.Operation(
            number: result.operation.number,
            title: result.operation.title,
            includes: result.operation.includes,
            notBuilt: result.operation.notBuilt,
            figures: result.terms.compactMap { term in
                result.spread(of: term).map {
                    JSON.Figure(
                        contestant: term.contestant,
                        metric: term.metric,
                        spread: $0,
                        values: result.values[term] ?? []
                    )
                }
            },
            goals: result.operation.goals.map { goal in
                let standing = result.standing(of: goal)
                return JSON.Standing(
                    goal: goal.text,
                    against: standing?.best?.contestant,
                    ratio: standing?.ratio,
                    isReached: standing?.isReached
                )
            },
            failures: result.failures.map { "\($0.contestant): \($0.reason)" }
        )
    }
}
