import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

private struct Tally: Codable, Identifiable, Sendable, Equatable {
    var id: Int
    var count: Int
}

private struct Refusal: Error {}

private func open(
    _ disk: SimulatedDisk,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) throws -> LocalRepository<Tally> {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    change(&configuration)
    return try LocalRepository(directory: URL(filePath: "/data"), configuration: configuration)
}

/// Nil when it was acknowledged.
private func increment(_ id: Int, in repository: LocalRepository<Tally>) async -> StoreError.Code? {
    do {
        try await repository.update(id) { $0 = Tally(id: id, count: ($0?.count ?? 0) + 1) }
        return nil
    } catch {
        return (error as? StoreError)?.code ?? .io
    }
}

@Suite("Transactions")
struct TransactionTests {
    @Test("An update starts from the newest accepted value, also while its sync is under way")
    func newestAccepted() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        try await repository.save(Tally(id: 1, count: 0))
        disk.stallSyncs()
        let updates = (0..<5).map { _ in
            Task {
                try await repository.update(1) {
                    $0?.count += 1; return $0?.count ?? -1
                }
            }
        }
        try await disk.waitForStalledSyncs()
        #expect(await repository.find(by: 1)?.count == 0)
        disk.releaseSyncs()
        var seen: Set<Int> = []
        for update in updates { seen.insert(try await update.value) }
        #expect(seen == [1, 2, 3, 4, 5])
        #expect(await repository.find(by: 1)?.count == 5)
    }

    @Test("Nothing is written when nothing has changed, and nothing when the body throws")
    func nothingWritten() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        try await repository.save(Tally(id: 1, count: 7))
        let operations = disk.operationCount
        try await repository.update(1) { $0?.count = 7 }
        try await repository.update(2) { _ in }
        try await repository.transaction { transaction in
            transaction.save(Tally(id: 1, count: 9))
            transaction.save(Tally(id: 1, count: 7))
            transaction.delete(3)
        }
        await #expect(throws: Refusal.self) {
            try await repository.transaction { transaction in
                transaction.save(Tally(id: 1, count: 8))
                transaction.delete(1)
                throw Refusal()
            }
        }
        #expect(disk.operationCount == operations)
        #expect(await repository.find(by: 1)?.count == 7)
    }

    @Test("A transaction sees what it does itself, and is one batch")
    func ownChanges() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        try await repository.save(contentsOf: [Tally(id: 1, count: 10), Tally(id: 2, count: 0)])
        let moved = try await repository.transaction { transaction in
            guard var from = transaction.find(by: 1), var to = transaction.find(by: 2) else { return 0 }
            from.count -= 4
            to.count += 4
            transaction.save(from)
            transaction.save(to)
            transaction.save(Tally(id: 3, count: 1))
            transaction.delete(3)
            #expect(transaction.find(by: 3) == nil)
            #expect(transaction.find(by: 1)?.count == 6)
            return 4
        }
        #expect(moved == 4)
        #expect(await repository.find(by: 2)?.count == 4)
        let log = String(
            decoding: try #require(disk.contents(of: "/data/data.wal/log-0000000001.jsonl")),
            as: UTF8.self
        )
        #expect(log.split(separator: "\n").last?.contains(#""more""#) == false)
        #expect(log.split(separator: "\n").dropLast().last?.contains(#""more":true"#) == true)
    }

    @Test("An update may not change the id, may delete, and may create")
    func ids() async throws {
        let repository = try open(SimulatedDisk())
        let error = await #expect(throws: StoreError.self) {
            try await repository.update(1) { $0 = Tally(id: 2, count: 0) }
        }
        #expect(error?.code == .idChanged)
        try await repository.update(1) { $0 = Tally(id: 1, count: 1) }
        #expect(await repository.find(by: 1)?.count == 1)
        try await repository.update(1) { $0 = nil }
        #expect(await repository.count == 0)
    }

    @Test("Concurrent increments are each counted once, also when syncs fail and the store is opened again")
    func increments() async throws {
        var disk = SimulatedDisk()
        var random = SeededGenerator(seed: 11)
        var acknowledged = [Int](repeating: 0, count: 100)
        var unknown = [Int](repeating: 0, count: 100)
        var issued = 0
        var failures = 0
        while issued < 10_000 {
            let repository = try open(disk)
            disk.fail(.nth(.sync, Int.random(in: 0..<20, using: &random)), code: EIO)
            let first = issued
            let count = min(500, 10_000 - issued)
            issued += count
            await withTaskGroup(of: (id: Int, code: StoreError.Code?).self) { group in
                for index in first..<first + count {
                    let id = index * 31 % 100
                    group.addTask { (id, await increment(id, in: repository)) }
                }
                for await (id, code) in group {
                    acknowledged[id] += code == nil ? 1 : 0
                    unknown[id] += code == .outcomeUnknown ? 1 : 0
                }
            }
            if await repository.statistics.poison != nil { failures += 1 }
            disk.clearFaults()
            try await repository.close()
            disk = disk.afterPowerCut(.random(seed: UInt64(issued)))
        }
        let repository = try open(disk)
        for id in 0..<100 {
            let count = await repository.find(by: id)?.count ?? 0
            #expect((acknowledged[id]...acknowledged[id] + unknown[id]).contains(count), "id \(id)")
        }
        print(
            "\(issued) increments, \(acknowledged.reduce(0, +)) acknowledged, \(failures) lives with a failed sync"
        )
        #expect(failures > 5, "Too few syncs were made to fail.")
    }

    @Test("Random transactions equal a dictionary, with power cuts in the middle of them")
    func model() async throws {
        #if DEBUG
            let steps = 5_000
        #else
            let steps = 100_000
        #endif
        var disk = SimulatedDisk()
        var random = SeededGenerator(seed: 5)
        var model: [Int: Int] = [:]
        var crashes = (lost: 0, kept: 0)
        var repository = try open(disk) { $0.compaction = .automatic(minimumBytes: 20_000) }
        for step in 0..<steps {
            let steps = RandomSteps(number: step, &random)
            let before = model
            steps.apply(to: &model)
            do {
                try await steps.run(on: repository)
            } catch  where disk.isOff {
                disk = disk.afterPowerCut(.random(seed: UInt64(step)))
                disk.cutPower(beforeOperation: disk.operationCount + 20 + random.below(1_000))
                repository = try open(disk) { $0.compaction = .automatic(minimumBytes: 20_000) }
                let found = await state(repository)
                #expect(found == before || found == model, "step \(step)")
                if found != model { crashes.lost += 1 } else { crashes.kept += 1 }
                model = found
            }
            if step == 0 { disk.cutPower(beforeOperation: disk.operationCount + 100) }
        }
        #expect(await state(repository) == model)
        print(
            "\(steps) transactions, \(crashes.lost + crashes.kept) power cuts, \(crashes.kept) kept the last one"
        )
        #expect(crashes.lost > 2 && crashes.kept > 0)
    }
}

private func state(_ repository: LocalRepository<Tally>) async -> [Int: Int] {
    Dictionary(uniqueKeysWithValues: await repository.loadAll().map { ($0.id, $0.count) })
}

/// What one random transaction does.
private struct RandomSteps: Sendable {
    private let number: Int
    private let steps: [(id: Int, kind: Int)]

    init(number: Int, _ random: inout SeededGenerator) {
        self.number = number
        steps = (0...random.below(4)).map { _ in (random.below(50), random.below(4)) }
    }

    func run(on repository: LocalRepository<Tally>) async throws {
        try await repository.transaction { transaction in
            for (id, kind) in steps {
                switch kind {
                case 0: transaction.delete(id)
                case 1: transaction.save(Tally(id: id, count: number))
                default:
                    guard var counter = transaction.find(by: id) else { continue }
                    counter.count += kind
                    transaction.save(counter)
                }
            }
        }
    }

    func apply(to model: inout [Int: Int]) {
        for (id, kind) in steps {
            switch kind {
            case 0: model[id] = nil
            case 1: model[id] = number
            default: if let count = model[id] { model[id] = count + kind }
            }
        }
    }
}
