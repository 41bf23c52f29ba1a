import TestSupport

/// What a writing process said before it ended, however it ended.
package struct WriterReport: Sendable {
    package enum Outcome: Sendable {
        /// Nothing was said behind the call.
        case pending
        case acknowledged
        /// It failed and changed nothing.
        case refused
        /// It failed, and whether it is there shows when the store is opened again.
        case unknown
    }

    package private(set) var opened = false
    package private(set) var isClosed = false
    /// The bytes that the writer's own recovery cut.
    package private(set) var bytesCut = 0
    /// What ended the writer, or a line that makes no sense.
    package private(set) var error: Substring?
    /// The calls that failed, as the writer said it.
    package private(set) var failures: [Substring] = []
    /// Of each task its calls in order.
    private var calls: [Int: [(call: LabMutation, outcome: Outcome)]] = [:]

    /// Death may cut the last line short: what it would have said is not known then.
    package init(_ text: String) {
        let end = text.utf8.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
        for line in text[..<end].split(separator: "\n") where !take(line) {
            if error == nil { error = line }
        }
    }

    private mutating func take(_ line: Substring) -> Bool {
        let words = line.split(separator: " ", maxSplits: 3)
        switch (words.first, words.count) {
        case ("open", 2):
            opened = true
            bytesCut = Int(words[1]) ?? 0
        case ("issue", 4):
            guard let task = Int(words[1]), let call = LabMutation(words[3]),
                Int(words[2]) == calls[task]?.count ?? 0
            else { return false }
            calls[task, default: []].append((call, .pending))
        case ("done", 3):
            return end(words, .acknowledged)
        case ("fail", 4):
            failures.append(line)
            return end(words, words[3] == "outcomeUnknown" ? .unknown : .refused)
        case ("closed", 1):
            isClosed = true
        default:
            return false
        }
        return true
    }

    private mutating func end(_ words: [Substring], _ outcome: Outcome) -> Bool {
        guard let task = Int(words[1]), let number = Int(words[2]), number + 1 == calls[task]?.count else {
            return false
        }
        calls[task]?[number].outcome = outcome
        return true
    }

    package var acknowledgedCount: Int {
        calls.values.reduce(0) { $0 + $1.count { $0.outcome == .acknowledged } }
    }

    /// What is wrong with the state that was found after `before`, or nil.
    ///
    /// Each task waits for its call before it makes the next, and its ids are its own. So of each task
    /// all acknowledged calls are there, none that was refused, and at most one more, whole. Where the
    /// end may be lost (a power cut under `.written`), a first part of the calls is there.
    package func fault(
        in found: [String: String],
        after before: [String: String],
        endMayBeLost: Bool = false
    ) -> String? {
        var rest = found
        for task in Set(calls.keys).union(Self.tasks(of: before)).union(Self.tasks(of: found)) {
            func isOwn(_ id: String) -> Bool { id.hasPrefix("t\(task)-") }
            let own = found.filter { isOwn($0.key) }
            rest = rest.filter { !isOwn($0.key) }
            let legal = states(of: task, after: before.filter { isOwn($0.key) }, endMayBeLost)
            guard legal.contains(own) else {
                return "task \(task) of \(calls[task]?.count ?? 0) calls: \(own) is none of \(legal)"
            }
        }
        return rest.isEmpty ? nil : "nobody saved \(rest)"
    }

    private func states(
        of task: Int,
        after before: [String: String],
        _ endMayBeLost: Bool
    ) -> [[String: String]] {
        var last = before
        var legal = [before]
        for (call, outcome) in calls[task] ?? [] where outcome != .refused {
            call.apply(to: &last)
            if outcome == .acknowledged, !endMayBeLost { legal = [] }
            legal.append(last)
        }
        return legal
    }

    private static func tasks(of state: [String: String]) -> Set<Int> {
        Set(state.keys.compactMap { Int($0.dropFirst().prefix { $0 != "-" }) })
    }
}
