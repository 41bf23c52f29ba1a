import TestSupport

/// A call that one of the tasks of a schedule makes.
struct ScheduledStep: Hashable, Sendable, CustomStringConvertible {
    enum Call: Hashable, Sendable {
        case save(String)
        case saveAll([String])
        case delete(String)
        case deleteAll([String])
        /// Counts one further.
        case count
        /// Moves one from the first account to the second.
        case transfer
        case read(String)
        case flush
        case compact
        case close
        /// Follows the changes until the store is closed.
        case follow
    }

    var task: Int
    var call: Call
    /// Whether its task is cancelled at some time.
    var isCancelled = false

    var description: String { "task \(task): \(call)\(isCancelled ? ", cancelled" : "")" }
}

extension ScheduledStep.Call: CustomStringConvertible {
    var kind: String {
        switch self {
        case .save: "save"
        case .saveAll: "save batch"
        case .delete: "delete"
        case .deleteAll: "delete batch"
        case .count: "update"
        case .transfer: "transaction"
        case .read: "read"
        case .flush: "flush"
        case .compact: "compact"
        case .close: "close"
        case .follow: "follow"
        }
    }

    var description: String {
        switch self {
        case .save(let id), .delete(let id), .read(let id): "\(kind) \(id)"
        case .saveAll(let ids), .deleteAll(let ids): "\(kind) \(ids)"
        default: kind
        }
    }
}

extension SeededGenerator {
    /// The calls of a few tasks, those of a task in their order.
    mutating func scheduledSteps() -> [ScheduledStep] {
        var steps: [ScheduledStep] = []
        let tasks = 2 + below(3)
        for task in 0..<tasks {
            for _ in 0..<1 + below(4) {
                steps.append(ScheduledStep(task: task, call: scheduledCall(task), isCancelled: oneIn(12)))
            }
        }
        if oneIn(4) { steps.append(ScheduledStep(task: tasks, call: .follow)) }
        return steps
    }

    private mutating func scheduledCall(_ task: Int) -> ScheduledStep.Call {
        // What a task saves under ids of its own it has to find there.
        let (own, other) = ("t\(task)a", "t\(task)b")
        switch below(24) {
        case 0..<5: return .save(own)
        case 5..<7: return .save("shared")
        case 7..<9: return .saveAll([own, other])
        case 9, 10: return .delete(own)
        case 11: return .deleteAll([other, own])
        case 12..<15: return .count
        case 15, 16: return .transfer
        case 17: return .read(own)
        case 18: return .read("shared")
        case 19: return .read("n")
        case 20, 21: return .flush
        case 22: return .compact
        default: return oneIn(3) ? .close : .save(other)
        }
    }
}
