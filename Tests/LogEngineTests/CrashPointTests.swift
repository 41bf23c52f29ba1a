import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// Before every operation the machine goes off, and all that a power cut may leave is opened.
@Suite struct CrashPointTests {
    private static let limit = Effort.count(40, release: 250, full: 5_000)
    private static let seeds = Effort.seeds(6, release: 60, full: 600)

    /// Runs `steps` on copies of a disk, with the power cut before each operation in turn, and in the
    /// midst of each write, and hands what is left to `body`.
    private func everyCrash(
        of steps: [Step],
        on start: SimulatedDisk,
        _ model: StoreModel,
        limit: Int = CrashPointTests.limit,
        seeds: Range<UInt64> = CrashPointTests.seeds,
        _ body: (SimulatedDisk, StoreModel) throws -> Void
    ) throws {
        let whole = Workload(start.copy(), model)
        var counting = whole
        try counting.run(steps)
        try counting.run(.kill)
        let first = start.operationCount
        let last = whole.disk.operationCount
        #expect(last > first, "A workload changes something.")
        for operation in first...last {
            for tearsWrite in [false, true] {
                let disk = start.copy()
                disk.cutPower(beforeOperation: operation, tearsWrite: tearsWrite)
                var work = Workload(disk, model)
                try work.runUntilPowerCut(steps)
                if tearsWrite, !(operation < last && whole.disk.operations[operation].kind == .write) {
                    continue
                }
                for survivors in disk.survivors(limit: limit, seeds: seeds) {
                    do {
                        try body(disk.afterPowerCut(survivors), work.model)
                    } catch {
                        let trace = whole.disk.trace.dropFirst(max(0, operation - 4)).prefix(5)
                        Issue.record(
                            "cut before \(operation), torn \(tearsWrite), \(survivors): \(error)\n\(trace)"
                        )
                    }
                }
            }
        }
    }

    private func everyCrashRecovers(
        _ steps: [Step],
        on start: SimulatedDisk = SimulatedDisk(),
        _ model: StoreModel = StoreModel()
    ) throws {
        try everyCrash(of: steps, on: start, model) { try Workload.checkRecovery($0, $1) }
    }

    /// A disk with a store that ran `steps`, and its model.
    private func after(_ steps: [Step]) throws -> (SimulatedDisk, StoreModel) {
        var work = Workload(SimulatedDisk())
        try work.run(steps)
        try work.run(.kill)
        return (work.disk.copy(), work.model)
    }

    private let three: [Step] = [
        .append([.put("a", "1")]), .append([.put("b", "2"), .put("c", "3"), .delete("a")]), .sync,
        .append([.put("d", "4")]),
    ]

    // MARK: One life

    @Test func everyCrashOfTheFirstCreationLeavesNoStoreOrAWholeOne() throws {
        try everyCrashRecovers([.open, .append([.put("a", "1")]), .sync, .close])
    }

    @Test func everyCrashOfAppendingKeepsWhatWasAcknowledged() throws {
        let (disk, model) = try after([.open])
        try everyCrashRecovers([.open] + three + [.append([.put("a", "5")]), .sync], on: disk, model)
    }

    @Test func everyCrashOfAppendingWithoutASyncLeavesAFirstPart() throws {
        let (disk, model) = try after([.open, .append([.put("a", "0")]), .sync])
        let steps: [Step] = (1...4).map { .append([.put("a", "\($0)"), .put("b\($0)", "1")]) }
        try everyCrashRecovers([.open] + steps, on: disk, model)
    }

    @Test func everyCrashOfClosingAndOfOpeningAfterItKeepsEverything() throws {
        let (disk, model) = try after([.open] + three)
        try everyCrashRecovers([.open, .append([.put("e", "1")]), .close, .open, .close], on: disk, model)
    }

    // MARK: Opening

    /// What opening has to deal with: each is a disk at rest and what it may open to.
    private func tornStores() throws -> [(name: String, disk: SimulatedDisk, model: StoreModel)] {
        var stores: [(String, SimulatedDisk, StoreModel)] = []
        let tails: [(String, (inout LogBuilder) -> Void)] = [
            ("an unclean end", { _ in }),
            ("a mark", { $0.mark() }),
            ("half a line", { $0.raw("half a line") }),
            ("NULs", { $0.raw([UInt8](repeating: 0, count: 50)) }),
            ("a batch without its end", { $0.put("z", "1", more: true) }),
            ("a gap", { $0.put("z", "1", number: SequenceNumber(9)) }),
            (
                "half a line behind a mark",
                {
                    $0.mark()
                    $0.raw("half a line")
                }
            ),
        ]
        for (name, tail) in tails {
            var history = History()
            history.append([.put("a", "1")])
            history.append([.put("b", "2"), .put("c", "3")])
            var log = history.log
            tail(&log)
            let disk = SimulatedDisk.holding([StoreDirectory.logName(1): log.bytes])
            let directory = StoreDirectory.simulated(disk)
            let plan = try Recovery.storePlan(directory)
            let moment = try plan.moment(in: directory)
            #expect(moment.state == history.last.state)
            let model = StoreModel(moment, endsInMark: plan.highestLogEndsInMark)
            stores.append((name, disk, model))
        }
        let fixture = try #require(try Fixture.all().first { $0.name.hasPrefix("36") })
        let disk = try fixture.disk()
        let directory = StoreDirectory.simulated(disk)
        let moment = try Recovery.storePlan(directory).moment(in: directory)
        stores.append(("a damaged snapshot", disk, StoreModel(moment)))
        return stores
    }

    @Test func everyCrashOfOpeningKeepsEverything() throws {
        for (name, disk, model) in try tornStores() {
            do { try everyCrashRecovers([.open], on: disk, model) } catch { throw Named(name, error) }
        }
    }

    /// Opening is cut short, and opening what that left is cut short again.
    @Test func openingCutShortTwiceKeepsEverything() throws {
        let (made, model) = try after([.open] + three)
        let limit = Effort.count(2, release: 40, full: 400)
        let seeds = Effort.seeds(1, release: 10, full: 100)
        for (name, disk, model) in try tornStores() + [("a store", made, model)] {
            try everyCrash(of: [.open], on: disk, model, limit: limit, seeds: seeds) { left, model in
                for operation in 0... {
                    let again = left.copy()
                    again.cutPower(beforeOperation: operation)
                    var work = Workload(again, model)
                    try work.runUntilPowerCut([.open])
                    guard again.isOff else { return }
                    for seed in Effort.seeds(1, release: 4, full: 20) {
                        let survivors = Survivors.random(seed: seed &* 1_000 + UInt64(operation))
                        var last = Workload(again.afterPowerCut(survivors), work.model)
                        do { try last.run(.open) } catch { throw Named("\(name), \(survivors)", error) }
                        try last.run(.kill)
                    }
                }
            }
        }
    }

    /// What recovery cuts is never lost: it stands in the log or, whole, in quarantine.
    @Test func everyCrashOfOpeningKeepsTheBytesThatItCuts() throws {
        let tail = Array("half a line that someone may want to see".utf8)
        var history = History()
        history.append([.put("a", "1")])
        let bytes = history.bytes + tail
        let disk = SimulatedDisk.holding([StoreDirectory.logName(1): bytes])
        try everyCrash(of: [.open], on: disk, StoreModel(history.last)) { left, _ in
            let isInLog = left.file(StoreDirectory.logName(1)) == bytes
            let isKept = left.files.contains { path, bytes in
                path.hasSuffix(".bytes") && bytes == tail
                    && left.files.keys.contains(path.dropLast(6) + ".json")
            }
            #expect(isInLog || isKept, "\(left.paths)")
        }
    }

    // MARK: Many lives

    @Test func everySeededWorkloadSurvivesItsCrashes() throws {
        for seed in Effort.seeds(600, release: 10_000, full: 300_000) {
            var random = SeededGenerator(seed: seed)
            var disk = SimulatedDisk()
            var model = StoreModel()
            for life in 0..<4 {
                disk.cutPower(
                    beforeOperation: disk.operationCount + random.below(40),
                    tearsWrite: random.oneIn(2)
                )
                var work = Workload(disk, model)
                do { try work.runUntilPowerCut([.open] + random.steps()) } catch {
                    Issue.record("seed \(seed), life \(life): \(error)")
                    break
                }
                model = work.model
                let isKill = random.oneIn(5) && !disk.isOff
                disk = isKill ? disk.afterKill() : disk.afterPowerCut(.random(random))
            }
        }
    }
}

extension SeededGenerator {
    /// Some steps of an open store.
    mutating func steps() -> [Step] {
        var steps: [Step] = []
        for number in 0..<below(14) {
            switch below(10) {
            case 0..<3: steps.append(.sync)
            case 3: steps += [.close, .open]
            case 4: steps += [.kill, .open]
            default:
                let changes = (0...below(3)).map { _ -> Change in
                    let id = "\(below(5))"
                    return oneIn(4) ? .delete(id) : .put(id, "\(number)")
                }
                steps.append(.append(changes))
            }
        }
        return steps
    }
}
