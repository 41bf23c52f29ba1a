import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Every call to the file system fails in turn. Nothing panics, nothing acknowledged is lost, nothing
/// is left open or locked.
@Suite struct FailingCallTests {
    private static let faults: [(code: Int32, effect: Fault.Effect)] = [
        (EIO, .nothing), (ENOSPC, .nothing), (ENOSPC, .short(20)), (EIO, .done),
    ]

    private let steps: [Step] = [
        .open, .append([.put("a", "1")]), .sync, .append([.put("b", "2"), .put("c", "3")]),
        .append([.delete("a")]), .sync, .append([.put("d", "4")]), .close, .open,
        .append([.put("e", "5")]), .close,
    ]

    /// Runs the steps; where one fails, checks the error, and goes on as a caller does: a store that
    /// did not open is opened again, one that is poisoned is closed and opened again.
    private func run(_ steps: [Step], _ work: inout Workload) throws {
        for step in steps {
            if work.store == nil, case .append = step { try reopen(&work) }
            do {
                try work.run(step)
            } catch let error as EngineError {
                #expect(error.cause != nil || error.code == .poisoned, "\(step): \(error)")
            } catch let error as StorageError {
                #expect([.sync, .list, .inspect, .lock].contains(error.operation), "\(step): \(error)")
            }
            if work.store?.appender.poison != nil {
                work.giveUp()
                try reopen(&work)
            }
            if case .open = step, work.store == nil { try reopen(&work) }
        }
        work.giveUp()
        #expect(work.disk.openFileCount == 0 && work.disk.heldLockCount == 0, "\(steps)")
    }

    /// Opens again. Where the fault lasts, until it has struck the last time.
    private func reopen(_ work: inout Workload) throws {
        do {
            try work.run(.open)
        } catch let error as WrongState {
            throw error
        } catch {
            #expect(work.disk.openFileCount == 0 && work.disk.heldLockCount == 0)
            work.disk.clearFaults()
            try work.run(.open)
        }
    }

    /// After the workload: the store opens, now and after every power cut.
    private func check(_ disk: SimulatedDisk, _ model: StoreModel) throws {
        disk.clearFaults()
        let seeds = Effort.seeds(1, release: 8, full: 60)
        let survivors = [Survivors.nothingUnsynced] + seeds.map { .random(seed: $0) }
        for survivors in survivors {
            do {
                try Workload.checkRecovery(disk.afterPowerCut(survivors), model)
            } catch {
                throw Named("after a power cut, \(survivors)", error)
            }
        }
        try Workload.checkRecovery(disk.copy(), model)
    }

    private func startingDisks() throws -> [(name: String, disk: SimulatedDisk, model: StoreModel)] {
        let empty = SimulatedDisk()
        empty.addDirectory("/d/store.wal")
        var history = History()
        history.append([.put("a", "0")])
        let name = StoreDirectory.logName(1)
        let torn = SimulatedDisk.holding([name: history.bytes + Array("half a line".utf8)])
        let fixture = try #require(try Fixture.all().first { $0.name.hasPrefix("36") })
        let damaged = try fixture.disk()
        let directory = StoreDirectory.simulated(damaged)
        let moment = try Recovery.storePlan(directory).moment(in: directory)
        return [
            ("an empty directory", empty, StoreModel()),
            ("a torn tail", torn, StoreModel(history.last)),
            ("a damaged snapshot", damaged, StoreModel(moment)),
        ]
    }

    @Test func everyCallThatFailsOnceLosesNothing() throws {
        for (name, start, model) in try startingDisks() {
            var counting = Workload(start.copy(), model)
            try counting.run(steps)
            for call in start.callCount..<counting.disk.callCount {
                for (code, effect) in Self.faults {
                    let disk = start.copy()
                    disk.fail(.call(call), code: code, effect: effect)
                    var work = Workload(disk, model)
                    do {
                        try run(steps, &work)
                        #expect(disk.injectedFaultCount == 1, "call \(call)")
                        try check(disk, work.model)
                    } catch {
                        Issue.record("\(name), call \(call), \(code) \(effect): \(error)\n\(disk.trace)")
                    }
                }
            }
        }
    }

    /// The device goes bad and stays so until it is replaced.
    @Test func everyCallFromWhichAllFailLosesNothing() throws {
        for (name, start, model) in try startingDisks() {
            var counting = Workload(start.copy(), model)
            try counting.run(steps)
            for operation in start.operationCount..<counting.disk.operationCount {
                for (code, effect) in Self.faults {
                    let disk = start.copy()
                    disk.fail(.operationsFrom(operation), code: code, effect: effect)
                    var work = Workload(disk, model)
                    do {
                        try run(steps, &work)
                        try check(disk, work.model)
                    } catch {
                        Issue.record("\(name), operation \(operation), \(code) \(effect): \(error)")
                    }
                }
            }
        }
    }

    /// The parents too are made and synced, each before what stands in it.
    @Test func everyCallThatFailsWhileTheDirectoryIsMadeLosesNothing() throws {
        var counting = Workload(SimulatedDisk())
        try counting.run(steps)
        for call in 0..<counting.disk.callCount {
            for (code, effect) in Self.faults {
                let disk = SimulatedDisk()
                disk.fail(.call(call), code: code, effect: effect)
                var work = Workload(disk)
                do {
                    try run(steps, &work)
                    // A sync of a parent that failed and then lies cannot be made good: nothing that
                    // the store may do there makes the name of its directory stable.
                    let lies = disk.injectedFaults[.syncDirectory] == 1 && effect != .done
                    if lies, !disk.isDurable("/d/store.wal") { continue }
                    try check(disk, work.model)
                } catch {
                    Issue.record("call \(call), \(code) \(effect): \(error)\n\(disk.trace)")
                }
            }
        }
    }

    @Test func aDiskThatFillsUpAtEverySizeLosesNothing() throws {
        for (name, start, model) in try startingDisks() {
            for room in stride(from: 0, to: 2_000, by: Effort.count(23, release: 3, full: 1)) {
                let disk = start.copy()
                disk.capacity = disk.usedBytes + room
                var work = Workload(disk, model)
                do {
                    do { try run(steps, &work) } catch let error as EngineError {
                        #expect(error.cause?.code == ENOSPC, "\(name), room \(room): \(error)")
                    }
                    work.giveUp()
                    #expect(!disk.paths.contains { $0.hasSuffix(".tmp") }, "\(name), room \(room)")
                    #expect(disk.openFileCount == 0 && disk.heldLockCount == 0, "\(name), room \(room)")
                    disk.capacity = nil
                    try check(disk, work.model)
                } catch {
                    Issue.record("\(name), room \(room): \(error)\n\(disk.trace)")
                }
            }
        }
    }
}

extension SimulatedDisk {
    /// Whether a power cut leaves the name of a directory.
    func isDurable(_ path: String) -> Bool {
        afterPowerCut(.nothingUnsynced).durableContents(of: path) != nil
    }
}
