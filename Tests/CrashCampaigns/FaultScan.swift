import LogEngine
import LogStorage
import TestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a workload with an error at each call to the file system in turn, alone and with another one behind
/// it, then crashes.
struct FaultScan {
    private typealias Kind = (name: String, code: Int32, effect: Fault.Effect)

    private static let once: [Kind] = [
        ("EIO", EIO, .nothing), ("ENOSPC", ENOSPC, .nothing), ("short", ENOSPC, .short(20)),
        ("EIO though done", EIO, .done),
    ]
    private static let forEver: [Kind] = [
        ("EIO for ever", EIO, .nothing), ("ENOSPC for ever", ENOSPC, .short(20)),
    ]

    static let required: [Counter] =
        (once + forEver).map { .fault($0.name) }
        + [
            "write", "sync", "truncate", "rename", "remove", "create", "syncDirectory", "open", "read",
            "length",
            "list", "lock", "inspect",
        ].map { .fault($0) } + [.twoFaults, .lyingSyncs, .powerCuts, .kills]

    private let unit: CampaignUnit
    private let steps: [Step]
    private var tally: Tally
    private var seen: Set<UInt64> = []

    static func run(_ unit: CampaignUnit, _ tally: inout Tally) {
        var scan = FaultScan(unit: unit, steps: unit.steps, tally: tally)
        scan.run()
        tally = scan.tally
    }

    private init(unit: CampaignUnit, steps: [Step], tally: Tally) {
        self.unit = unit
        self.steps = steps
        self.tally = tally
    }

    /// The directory is there already: a sync of its parent that fails and lies afterwards cannot be made
    /// good by anything that the store may do.
    private func start() -> SimulatedDisk { .holding([:]) }

    private mutating func run() {
        let counting = start()
        var work = Workload(counting, sabotage: unit.sabotage)
        do {
            try work.run(steps)
            work.giveUp()
        } catch {
            tally.failures.append(Failure(unit, place: "without a fault", message: "\(error)"))
            return
        }
        for call in 0..<counting.callCount {
            for (name, code, effect) in Self.once {
                guard tally.failures.isEmpty else { return }
                run([Fault(.call(call), code: code, effect: effect)], name)
            }
        }
        runPairs(counting.callCount)
        for operation in 0..<counting.operationCount {
            for (name, code, effect) in Self.forEver {
                guard tally.failures.isEmpty else { return }
                run([Fault(.operationsFrom(operation), code: code, effect: effect)], name)
            }
        }
    }

    /// Behind the first error at each call comes another of another kind: soon, while the store still deals
    /// with the first, or at any time.
    private mutating func runPairs(_ calls: Int) {
        var random = SeededGenerator(seed: unit.seed ^ 0x2FA0_17E5)
        for call in 0..<calls where tally.failures.isEmpty {
            let kind = random.below(Self.once.count)
            let other = (kind + 1 + random.below(Self.once.count - 1)) % Self.once.count
            let gap = 1 + random.below(random.oneIn(3) ? calls : 8)
            let faults = [(call, Self.once[kind]), (call + gap, Self.once[other])].map { call, kind in
                Fault(.call(call), code: kind.code, effect: kind.effect)
            }
            run(faults, Self.once[kind].name)
        }
    }

    private mutating func run(_ faults: [Fault], _ name: String) {
        let disk = start()
        for fault in faults { disk.inject(fault) }
        var work = Workload(disk, sabotage: unit.sabotage)
        let fault = faults.map(\.description).joined(separator: ", then ")
        var place = fault
        do {
            var stepsSinceError: Int?
            for step in steps {
                place = "\(fault), step \(step)"
                let hasFailed = try run(step, &work)
                stepsSinceError = stepsSinceError.map { $0 + 1 } ?? (hasFailed ? 0 : nil)
                // What the error has left does its harm, if any, soon after it.
                if let count = stepsSinceError, count < 3 {
                    try crash(work, "\(count) steps behind the first error")
                }
            }
            work.giveUp()
            guard disk.openFileCount == 0, disk.heldLockCount == 0 else {
                throw Violation(.nothingIsLeaked, "\(disk.openFileCount) files stay open")
            }
            count(disk, faults, name)
            place = "\(fault), at the end"
            try crash(work, "at the end")
        } catch {
            tally.failures.append(
                Failure(unit, place: place, message: "\(error)", trace: disk.trace.suffix(12))
            )
        }
    }

    private mutating func count(_ disk: SimulatedDisk, _ faults: [Fault], _ name: String) {
        guard let fault = faults.first, faults.count == 1 else {
            if disk.injectedFaultCount > 1 { tally.count(.twoFaults) }
            return
        }
        for (kind, count) in disk.injectedFaults {
            tally.count(.fault("\(kind)"), count)
            tally.count(.fault(name), count)
        }
        let syncs = disk.injectedFaults[.sync, default: 0] + disk.injectedFaults[.syncDirectory, default: 0]
        if syncs > 0, fault.effect != .done { tally.count(.lyingSyncs, syncs) }
    }

    // MARK: A caller

    /// Runs a step; true when it failed. A store that takes no more is given up and opened again, as its
    /// error says.
    private func run(_ step: Step, _ work: inout Workload) throws -> Bool {
        if work.store == nil, step != .open { try reopen(&work) }
        do {
            try work.run(step)
            return false
        } catch let error as EngineError {
            guard error.cause != nil || error.code == .poisoned else { throw error }
        } catch let error as StorageError {
            if error.operation == .sync { try checkPoison(work) }
        }
        if work.store?.appender.poison != nil { work.giveUp() }
        return true
    }

    /// After a failed sync nothing is written and nothing acknowledged.
    private func checkPoison(_ work: Workload) throws {
        guard var store = work.store else { return }
        var model = work.model
        model.watcher = nil
        let failures = [
            { try store.append([.put("z", "1")], &model) },
            { try store.sync(&model) },
        ].filter { attempt in
            do {
                try attempt()
                return false
            } catch {
                return true
            }
        }
        guard failures.count == 2 else {
            throw Violation(.nothingIsAcknowledgedAfterAFailedSync, "a change was taken after a failed sync")
        }
    }

    /// Opens again. Where that fails, once the fault is over.
    private func reopen(_ work: inout Workload) throws {
        do {
            try work.run(.open)
        } catch let error as WrongState {
            throw error
        } catch let error as Violation {
            throw error
        } catch {
            work.disk.clearFaults()
            try work.run(.open)
        }
    }

    // MARK: A crash

    private mutating func crash(_ work: Workload, _ place: String) throws {
        let disk = work.disk.copy()
        disk.clearFaults()
        var model = work.model
        // The failed step may have been closing or opening.
        model.willOpen()
        let seeds = (0..<2).map { Survivors.random(seed: UInt64(disk.callCount * 2 + $0)) }
        for survivors in [.nothingUnsynced, .everything] + seeds {
            tally.count(.powerCuts)
            try judge(disk.afterPowerCut(survivors), model, "power cut \(place), \(survivors)")
        }
        tally.count(.kills)
        try judge(disk.afterKill(), model, "killed \(place)")
    }

    private mutating func judge(_ image: SimulatedDisk, _ model: StoreModel, _ place: String) throws {
        let fingerprint = image.fingerprint
        tally.note(fingerprint)
        tally.distinct.insert(fingerprint)
        guard seen.insert(fingerprint ^ UInt64(bitPattern: Int64(model.allowed.hashValue))).inserted else {
            return
        }
        tally.states += 1
        do {
            try Workload.checkRecovery(image, model, sabotage: unit.sabotage)
        } catch {
            throw Named(place, error)
        }
    }
}
