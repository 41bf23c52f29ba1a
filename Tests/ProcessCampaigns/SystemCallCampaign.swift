import TestSupport

/// L7: a writing process whose n-th system call of each kind kills it or fails, again and again.
///
/// After each life the store opens and holds what was acknowledged, nothing that was refused, and at
/// most one call of each task more. A call that is only interrupted must harm nothing at all.
package struct SystemCallCampaign: Sendable {
    package private(set) var lives = 0
    package private(set) var injected: [String: Int] = [:]
    /// Deaths at another call than the first of its kind.
    package private(set) var laterDeaths = 0
    /// Lives that ended before the call was made so often.
    package private(set) var notReached = 0
    package private(set) var acknowledged = 0
    package private(set) var failedCalls = 0
    package private(set) var refusedOpenings = 0
    package private(set) var faults: [String] = []

    private let crashlab: String
    private var random: SeededGenerator
    private var state: [String: String] = [:]

    package var injectedCount: Int { injected.values.reduce(0, +) }

    /// - Parameter crashlab: the path of the program `crashlab`.
    package init(_ crashlab: String, seed: UInt64) {
        self.crashlab = crashlab
        random = SeededGenerator(seed: seed)
    }

    package var description: String {
        let kinds = injected.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            \(lives) lives, \(injectedCount) injections (\(kinds.joined(separator: ", "))), \(notReached) not \
            reached; \(acknowledged) calls acknowledged and all there, \(failedCalls) calls failed, \
            \(refusedOpenings) openings failed; \(faults.count) faults
            """
    }

    /// Goes on for so many lives, or until something is wrong.
    ///
    /// - Throws: `Unavailable` when this machine cannot do it.
    package mutating func run(lives count: Int, only effects: [SystemCallFault.Effect]? = nil) async throws {
        let scratch = try TemporaryDirectory()
        let kinds = Self.kinds(effects).shuffled(using: &random)
        var stores = 0
        for index in 0..<count where faults.isEmpty {
            var fault = kinds[index % kinds.count]
            // A new store now and then, so that its creation is hit too, and where it is made only there.
            if index % 12 == 0 || fault.call == .mkdir {
                stores += 1
                state = [:]
            }
            let directory = "\(scratch.path)/store-\(stores)"
            fault.number = 1 + random.below(fault.call.usualCount)
            var life = WriterRun(directory: directory, seed: UInt64(index), end: .systemCall(fault))
            life.isSynced = !random.oneIn(4)
            life.tasks = [1, 1, 4][random.below(3)]
            life.calls = 12
            life.compactAt = 1_000
            try await run(life, fault, scratch.path)
        }
    }

    private static func kinds(_ effects: [SystemCallFault.Effect]?) -> [SystemCallFault] {
        let effects = effects ?? [.kill, .error("EIO"), .error("ENOSPC"), .error("EINTR")]
        return SystemCallFault.Call.allCases.flatMap { call in
            effects.filter { effect in
                switch effect {
                case .kill: true
                case .error("EINTR"): call.isInterruptible
                case .error, .lie: call.isOfStore
                }
            }
            .map { SystemCallFault(call, $0, at: 1) }
        }
    }

    private mutating func run(_ life: WriterRun, _ fault: SystemCallFault, _ scratch: String) async throws {
        let outcome = try await life.run(crashlab, scratch: scratch)
        let report = outcome.report
        lives += 1
        acknowledged += report.acknowledgedCount
        failedCalls += report.failures.count
        if outcome.isInjected {
            injected["\(fault.call.rawValue) \(fault.effect)", default: 0] += 1
            laterDeaths += fault.effect == .kill && fault.number > 1 ? 1 : 0
        } else {
            notReached += 1
        }
        if report.error != nil, !report.opened { refusedOpenings += 1 }
        if let problem = Self.problem(with: outcome, fault) { faults.append("\(life): \(problem)") }

        // Half of the stores are opened by the next writer as this one has left them.
        let leaves = random.oneIn(2)
        do {
            let copy = leaves ? "\(scratch)/copy" : nil
            let found = try await LabStore.read(life.directory, copiedTo: copy, closes: random.oneIn(2)).texts
            if let problem = report.fault(in: found, after: state) { faults.append("\(life): \(problem)") }
            state = found
        } catch {
            faults.append("\(life): opening failed: \(error)")
        }
    }

    /// What is wrong with how the process ended.
    private static func problem(with outcome: WriterRun.Outcome, _ fault: SystemCallFault) -> String? {
        let report = outcome.report
        switch fault.effect {
        case .kill where outcome.isInjected:
            return outcome.code == -9 ? nil : "ended with \(outcome.code): \(report.error ?? "")"
        case .error("EINTR"), .kill, .lie:
            let isWhole = outcome.code == 0 && report.isClosed && report.failures.isEmpty
            return isWhole ? nil : "ended with \(outcome.code): \(report.error ?? "") \(report.failures)"
        case .error:
            guard outcome.code == 0 || outcome.code == 1 else { return "ended with \(outcome.code)" }
            guard let error = report.error else { return nil }
            return error.hasPrefix("error ") && error.hasSuffix("]")
                ? nil : "an error without a type: \(error)"
        }
    }
}
