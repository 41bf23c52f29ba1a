import LogStorage
import TestSupport
import Testing
import WALStore

@Suite(.serialized) struct CrashPointTests {
    private func operationCount(of workload: Workload) async throws -> Int {
        let disk = SimulatedDisk()
        let run = WorkloadRun(on: disk)
        try await run.run(workload, stopsAtError: false)
        #expect(run.errors.isEmpty)
        try await run.end()
        return disk.operationCount
    }

    /// Cuts the power before every operation of the workload; returns the number of crash images.
    private func cutEverywhere(_ workload: Workload, seeds: Range<UInt64>, _ name: String) async throws -> Int
    {
        let count = try await operationCount(of: workload)
        var images = 0
        for operation in 0..<count {
            let disk = SimulatedDisk()
            disk.cutPower(beforeOperation: operation, tearsWrite: operation % 2 == 0)
            let run = WorkloadRun(on: disk)
            try await run.run(workload, stopsAtError: true)
            for seed in seeds {
                let survivors: Survivors =
                    switch seed {
                    case 0: .nothingUnsynced
                    case 1: .everything
                    default: .random(seed: seed &* 1_000_003 &+ UInt64(operation))
                    }
                try await checkRecovery(
                    of: disk.afterPowerCut(survivors),
                    possible: run.possible,
                    seed: seed,
                    "\(name), power cut before operation \(operation), survivors \(seed)"
                )
                images += 1
            }
            try await run.end()
        }
        return images
    }

    @Test(arguments: TestLoading.all)
    func afterEveryCrashPointTheStoreOpensToAPrefixAndGoesOn(
        loading: StoreConfiguration.Loading
    ) async throws {
        let images = try await TestLoading.$current.withValue(loading) {
            try await cutEverywhere(.everyKind, seeds: 0..<16, "every kind, \(loading)")
        }
        print("Crash points of every kind of call: \(images) crash images")
        #expect(images > 500)
    }

    @Test(arguments: TestLoading.all)
    func afterEveryCrashPointOfRandomWorkloadsTheStoreOpensToAPrefixAndGoesOn(
        loading: StoreConfiguration.Loading
    ) async throws {
        var images = 0
        for seed in 0..<8 as Range<UInt64> {
            let workload = Workload.random(seed: seed, length: 14)
            images += try await TestLoading.$current.withValue(loading) {
                try await cutEverywhere(workload, seeds: 0..<6, "workload \(seed), \(loading)")
            }
        }
        print("Crash points of random workloads: \(images) crash images")
        #expect(images > 500)
    }

    @Test func everySurvivorSetOfASmallWorkloadOpensToAPrefix() async throws {
        let workload = Workload(steps: [
            .save(Note("a", "1")), .saveAll([Note("b", "2"), Note("c", "2")]), .delete("a"),
        ])
        let count = try await operationCount(of: workload)
        var images = 0
        for operation in 0..<count {
            let disk = SimulatedDisk()
            disk.cutPower(beforeOperation: operation)
            let run = WorkloadRun(on: disk)
            try await run.run(workload, stopsAtError: true)
            let all = try #require(disk.everySurvivors(limit: 5_000, fates: ChangeFate.allCases))
            for (number, survivors) in all.enumerated() {
                try await checkRecovery(
                    of: disk.afterPowerCut(survivors),
                    possible: run.possible,
                    seed: UInt64(number),
                    "power cut before operation \(operation), survivor set \(number) of \(all.count)"
                )
            }
            images += all.count
            try await run.end()
        }
        print("Every survivor set of a small workload: \(images) crash images")
    }

    @Test func afterEveryDeathOfTheProcessNothingWrittenIsLost() async throws {
        let workload = Workload.everyKind
        let count = try await operationCount(of: workload)
        for operation in 0..<count {
            let disk = SimulatedDisk()
            disk.cutPower(beforeOperation: operation, tearsWrite: operation % 2 == 0)
            let run = WorkloadRun(on: disk, .written(syncEvery: .seconds(3600)))
            try await run.run(workload, stopsAtError: true)
            try await checkRecovery(
                of: disk.afterKill(),
                possible: run.possible,
                seed: 1,
                "killed before operation \(operation)"
            )
            try await run.end()
        }
    }

    @Test func aPowerCutUnderWrittenTakesTheNewestAndNeverOneFromTheMiddle() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
        var states: [[String: String]] = [[:]]
        func did(_ notes: [Note]) {
            var state = states[states.count - 1]
            for note in notes { state[note.id] = note.text }
            states.append(state)
        }
        for number in 0..<8 {
            try await repository.save(Note("n\(number % 3)", "\(number)"))
            did([Note("n\(number % 3)", "\(number)")])
        }
        try await repository.flush()
        let flushed = states.count - 1
        for number in 8..<14 {
            let batch = [Note("n\(number % 3)", "\(number)"), Note("m\(number % 2)", "\(number)")]
            try await repository.save(contentsOf: batch)
            did(batch)
        }
        var lengths: Set<Int> = []
        for seed in 0..<400 as Range<UInt64> {
            let after = disk.afterPowerCut(.random(seed: seed))
            let found = try await open(on: after).texts
            let length = try #require(states[flushed...].firstIndex(of: found), "seed \(seed): \(found)")
            lengths.insert(length)
        }
        #expect(lengths.count > 3, "the power cuts left \(lengths)")
    }
}
