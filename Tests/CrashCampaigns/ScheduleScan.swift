import Foundation
import LogEngine
import LogStorage
import TestSupport
import WALStore

/// Runs one order of the tasks of a repository, crashes it in between, and holds what opens, what the
/// callers were told and what the disk has seen against each other.
///
/// Unchecked: used by the one thread that the schedule runs on.
final class ScheduleScan: @unchecked Sendable {
    static let required: [Counter] =
        [
            "save", "save batch", "delete", "delete batch", "update", "transaction", "read", "flush",
            "compact", "close", "follow",
        ].map { .call($0) }
        + ["cancelled", "closed", "outcomeUnknown", "poisoned", "diskFull"].map { .told($0) }
        + [.fault("sync"), .fault("write"), .powerCuts, .kills, .livesAfter, .delivered, .leadingSyncs]

    /// A crash is looked at before a step below this, which most schedules reach.
    private static let crashSteps = 120

    private enum Trouble { case none, failedSync, failedWrite, powerCut }

    private let unit: CampaignUnit
    private var tally: Tally
    private let disk: SimulatedDisk
    private let history: ScheduleHistory
    private var random: SeededGenerator
    private let isSynced: Bool
    private let trouble: Trouble
    private let crashAt: Int
    private var ticks = 0
    private var place = "in the schedule"

    static func run(_ unit: CampaignUnit, _ tally: inout Tally) {
        do {
            let scan = try ScheduleScan(unit, tally)
            scan.run()
            tally = scan.tally
        } catch {
            tally.failures.append(Failure(unit, place: "before the schedule", message: "\(error)"))
        }
    }

    private init(_ unit: CampaignUnit, _ tally: Tally) throws {
        self.unit = unit
        self.tally = tally
        random = SeededGenerator(seed: unit.seed ^ 0x5C4E_D01E)
        let start = random.oneIn(2) ? ScheduleStart.closed : ScheduleStart.compacted
        disk = try start.get().disk.copy()
        history = ScheduleHistory(try start.get().moment)
        isSynced = !random.oneIn(5)
        trouble = [.none, .none, .failedSync, .failedWrite, .powerCut][random.below(5)]
        crashAt = random.below(Self.crashSteps)
    }

    private func run() {
        let schedule = Schedule(seed: unit.seed, losesJobs: unit.sabotage == .losesAWakeUp) {
            [unowned self] in
            tick()
        }
        var report: [String] = []
        do {
            try run(schedule, &report)
            guard disk.openFileCount == 0, disk.heldLockCount == 0 else {
                throw Violation(.nothingIsLeaked, "\(disk.openFileCount) files stay open")
            }
        } catch {
            tally.failures.append(Failure(unit, place: place, message: "\(error)", trace: report))
        }
        for (kind, count) in disk.injectedFaults { tally.count(.fault("\(kind)"), count) }
        tally.note(schedule.trace)
    }

    private func run(_ schedule: Schedule, _ report: inout [String]) throws {
        let store = try LocalRepository<ScheduledItem>(
            directory: URL(filePath: "/d", directoryHint: .isDirectory),
            filename: "store",
            configuration: configuration(schedule)
        )
        history.didOpen()
        prepareTrouble()
        let caller = ScheduleCaller(store, schedule, history, isSynced: isSynced, unit.sabotage)
        defer {
            report = caller.report
            tally.counts.merge(caller.outcomes) { $0 + $1 }
        }
        caller.begin(unit.kept(unit.layer.scheduledSteps(seed: unit.seed)))
        try finish(schedule)
        guard caller.unfinished.allSatisfy(\.follows) else {
            throw Violation(.everyoneIsAnswered, "nothing goes on, and these wait: \(caller.unfinished)")
        }
        place = "at the end"
        caller.begin([ScheduledStep(task: 99, call: .close)])
        try finish(schedule)
        guard caller.unfinished.isEmpty else {
            throw Violation(.everyoneIsAnswered, "the store is closed, and these wait: \(caller.unfinished)")
        }
        try history.checkAtomicity()
        try judge(disk.afterKill(), isKill: true)
    }

    private func configuration(_ schedule: Schedule) -> StoreConfiguration {
        var configuration = StoreConfiguration(
            durability: isSynced ? .synced : .written(syncEvery: .seconds(3_600))
        )
        configuration.compaction = random.oneIn(2) ? .manual : .automatic(minimumBytes: 300)
        configuration.fileSystem = ScheduledDisk(disk, schedule, history)
        configuration.now = { 1_796_000_000_500 }
        configuration.execution.tasks = schedule
        configuration.execution.blocking = { [schedule] _ in schedule.makeLane() }
        configuration.execution.mayLead = { [unowned self, unowned schedule] in
            guard schedule.coin() else { return false }
            tally.count(.leadingSyncs)
            return true
        }
        return configuration
    }

    private func prepareTrouble() {
        switch trouble {
        case .none, .powerCut: break
        case .failedSync: disk.fail(.nth(.sync, random.below(6)), code: EIO)
        case .failedWrite:
            disk.fail(.nth(.write, random.below(8)), code: ENOSPC, effect: .short(random.below(60)))
        }
    }

    private func finish(_ schedule: Schedule) throws {
        guard schedule.run() else {
            throw Violation(.everyoneIsAnswered, "the tasks go on for ever")
        }
        if let violation = history.violation { throw violation }
    }

    // MARK: A crash

    private func tick() {
        guard history.isOpen else { return }
        ticks += 1
        guard ticks == crashAt else { return }
        do {
            for survivors in [Survivors.nothingUnsynced, .random(seed: unit.seed)] {
                try judge(disk.afterPowerCut(survivors), isKill: false)
            }
            try judge(disk.afterKill(), isKill: true)
        } catch {
            history.fail(.acknowledgedIsRecovered, "crashed before step \(ticks): \(error)")
        }
        if trouble == .powerCut { disk.cutPower() }
    }

    private func judge(_ image: SimulatedDisk, isKill: Bool) throws {
        let fingerprint = image.fingerprint
        tally.states += 1
        tally.distinct.insert(fingerprint)
        tally.note(fingerprint)
        tally.count(isKill ? .kills : .powerCuts)
        let plan = try Recovery.storePlan(.simulated(image))
        let found = try plan.moment(in: .simulated(image))
        let least = isKill ? history.acknowledged : history.stable
        guard found.number >= least else {
            throw Violation(.acknowledgedIsRecovered, "opened to \(found), #\(least) is acknowledged")
        }
        guard history.moment(at: found.number) == found else {
            let written = history.moment(at: found.number)?.description ?? "the midst of a batch"
            throw Violation(.recoveredIsAPrefix, "opened to \(found), written was \(written)")
        }
        guard fingerprint % 16 == 0 else { return }
        tally.count(.livesAfter)
        try Workload.checkRecovery(image, StoreModel(found, endsInMark: plan.highestLogEndsInMark))
    }
}

/// What a schedule begins with.
private struct ScheduleStart: Sendable {
    var disk: SimulatedDisk
    var moment: Moment

    static let closed = Result { try ScheduleStart([.close]) }
    static let compacted = Result { try ScheduleStart([.compact, .close]) }

    private init(_ ending: [Step]) throws {
        let accounts = ["x", "y"].map { Change.put($0, #"{"by":"start","count":0,"id":"\#($0)"}"#) }
        var work = Workload(.holding([:]))
        try work.run([.open, .append(accounts)] + ending)
        disk = work.disk
        moment = work.model.current
    }
}
