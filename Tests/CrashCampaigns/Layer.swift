import TestSupport

/// The layers of the suite that run on a simulated disk: the engine, and in the last one all of the store.
package enum Layer: String, CaseIterable, Sendable {
    /// Every short sequence of steps, every crash point, every set of survivors where that is little.
    case sequences = "L1"
    /// Long random workloads, random survivors.
    case workloads = "L2"
    /// An error at every call, then a crash.
    case faults = "L3"
    /// A crash inside the opening of what a crash has left.
    case recovery = "L4"
    /// Damage to bytes that were stable.
    case damage = "L5"
    /// The tasks of a repository in an order of the seed's, with failing syncs and power cuts.
    case schedules = "L6"

    /// The steps that a seed stands for.
    package func steps(seed: UInt64) -> [Step] {
        var random = generator(seed)
        switch self {
        case .schedules: return []
        case .sequences: return Self.sequence(seed)
        case .workloads: return random.workload(length: 8 + random.below(24), crashes: true)
        case .faults: return random.workload(length: 6 + random.below(8), crashes: false)
        case .recovery: return random.workload(length: 5 + random.below(14), crashes: true)
        case .damage:
            let ending: Step = seed % 2 == 0 ? .close : .kill
            return random.workload(length: 10 + random.below(8), crashes: false) + [
                .compact, .append([.put("a", "1"), .put("b", "[2]")]), .sync, .compact,
                .append([.put("c", "3")]), .sync, .append([.delete("a"), .put("d", "{}")]), .sync,
                .append([.put("e", "5")]),
                ending,
            ]
        }
    }

    /// The calls of the tasks of a schedule.
    func scheduledSteps(seed: UInt64) -> [ScheduledStep] {
        var random = generator(seed)
        return random.scheduledSteps()
    }

    /// What a seed stands for, as text.
    package func descriptions(seed: UInt64) -> [String] {
        self == .schedules
            ? scheduledSteps(seed: seed).map(\.description) : steps(seed: seed).map(\.description)
    }

    private func generator(_ seed: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed &* 5 &+ UInt64(rawValue.utf8.last ?? 0))
    }

    /// How many seeds a worker takes before it reports.
    var seedsAtATime: Int {
        switch self {
        case .damage, .faults: 1
        case .schedules: 512
        default: 16
        }
    }

    /// How many sequences there are that are at most so long.
    package static func sequenceCount(length: Int) -> Int {
        var (sum, power) = (0, 1)
        for _ in 0..<length {
            power *= letterCount
            sum += power
        }
        return 2 * sum
    }

    private static let letterCount = 6

    /// One kind of step; `number` makes its values its own.
    private static func letter(_ letter: Int, _ number: Int, _ opening: Step) -> [Step] {
        let value = "\(number)"
        switch letter {
        case 0: return [.append([.put("a", value)])]
        case 1: return [.append([.put("b", value), .put("a", value), .delete("c")])]
        case 2: return [.append([.delete("a")])]
        case 3: return [.sync]
        case 4: return [.compact]
        default: return [.close, opening]
        }
    }

    /// The sequences in order of their length, each without and with space written ahead.
    private static func sequence(_ number: UInt64) -> [Step] {
        let opening: Step = number % 2 == 0 ? .open : .openAhead
        var (rest, length, power) = (Int(number / 2), 1, letterCount)
        while rest >= power {
            rest -= power
            length += 1
            power *= letterCount
        }
        var steps: [Step] = [opening, .append([.put("c", "0")]), .sync]
        for place in 0..<length {
            steps += letter(rest % letterCount, place + 1, opening)
            rest /= letterCount
        }
        return steps
    }

    /// Runs a unit. What it finds, failures too, is in the tally.
    package func run(_ unit: CampaignUnit, _ tally: inout Tally) {
        tally.units += 1
        switch self {
        case .sequences: CrashScan.run(unit, .sequences, &tally)
        case .workloads: CrashScan.run(unit, .workloads, &tally)
        case .recovery: CrashScan.run(unit, .recovery, &tally)
        case .faults: FaultScan.run(unit, &tally)
        case .damage: DamageScan.run(unit, &tally)
        case .schedules: ScheduleScan.run(unit, &tally)
        }
    }

    /// What the full campaign tries of it.
    package var fullGoal: Campaign.Goal {
        switch self {
        case .sequences: .units(Self.sequenceCount(length: 5))
        case .workloads: .states(50_000_000)
        case .faults: .units(2_000)
        case .recovery: .states(2_000_000)
        case .damage: .states(5_000_000)
        case .schedules: .units(2_000_000)
        }
    }

    /// What must have happened at least once in a campaign that is worth its name.
    package var required: [Counter] {
        switch self {
        case .sequences, .workloads:
            [
                .powerCuts, .kills, .tornTails, .unfinishedFiles, .livesAfter, .inspections,
                .crashesInCompaction,
            ]
        case .recovery:
            [.powerCuts, .kills, .tornTails, .crashesInRecovery, .crashesInCompaction, .unfinishedFiles]
        case .faults: FaultScan.required
        case .damage: DamageScan.required
        case .schedules: ScheduleScan.required
        }
    }
}

extension SeededGenerator {
    /// Steps of a store, with puts, batches, deletes, syncs, compactions, closing and opening.
    mutating func workload(length: Int, crashes: Bool) -> [Step] {
        var steps: [Step] = [opening()]
        for number in 0..<length {
            switch below(crashes ? 16 : 13) {
            case 0..<5: steps.append(.append([change(number)]))
            case 5..<8: steps.append(.append((0...1 + below(3)).map { _ in change(number) }))
            case 8, 9: steps.append(.sync)
            case 10: steps.append(.compact)
            case 11, 12: steps += [.close, opening()]
            case 13: steps += [.kill, opening()]
            default: steps += [.powerCut(next()), opening()]
            }
        }
        return steps
    }

    private mutating func opening() -> Step { below(2) == 0 ? .open : .openAhead }

    private mutating func change(_ number: Int) -> Change {
        let id = ["a", "b", "c", "d\n", "é"][below(5)]
        switch below(6) {
        case 0: return .delete(id)
        case 1: return .put(id, #"{"crc":"00000000","seq":\#(number)}"#)
        case 2: return .put(id, "\"\(String(repeating: "x", count: below(300)))\"")
        default: return .put(id, "\(number)")
        }
    }
}
