import Foundation

/// Runs operations: in each round every contestant once, so that a change of the machine's mood in the
/// middle of a run meets all of them.
struct Run {
    let options: Options
    /// Where progress is told.
    let log: @Sendable (String) -> Void

    func result(of operation: Operation) async -> OperationResult {
        var result = OperationResult(operation)
        var rounds: [(name: String, round: Contestant.Round)] = []
        for contestant in operation.contestants
        where options.who.isEmpty || options.who.contains(contestant.name) {
            do {
                rounds.append((contestant.name, try await contestant.prepare()))
            } catch {
                result.failures.append((contestant.name, "\(error)"))
            }
        }
        for number in 0..<options.roundCount {
            log("\(operation.number) \(operation.title): round \(number + 1) of \(options.roundCount)")
            // Nobody always runs first, or always behind the same other.
            for index in rounds.indices {
                let (name, round) = rounds[(index + number) % rounds.count]
                do {
                    result.add(try await round(), of: name)
                } catch {
                    result.failures.append((name, "\(error)"))
                }
            }
        }
        return result
    }
}
