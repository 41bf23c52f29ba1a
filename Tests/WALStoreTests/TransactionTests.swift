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
            disk.fail(.nth(.sync, 1 + Int.random(in: 0..<40, using: &random)), code: EIO)
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
        #expect(failures > 0, "No sync was made to fail.")
    }

    @Test("Random transactions equal a dictionary, with crashes in between")
    func model() async throws {
        #if DEBUG
            let steps = 5_000
        #else
            let steps = 100_000
        #endif
        var disk = SimulatedDisk()
        var random = SeededGenerator(seed: 5)
        var model: [Int: Int] = [:]
        var repository = try open(disk) { $0.compaction = .automatic(minimumBytes: 20_000) }
        for step in 0..<steps {
            let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (id: Int.random(in: 0..<50, using: &random), kind: Int.random(in: 0..<4, using: &random))
            }
            try await repository.transaction { transaction in
                for change in changes {
                    switch change.kind {
                    case 0: transaction.delete(change.id)
                    case 1: transaction.save(Tally(id: change.id, count: step))
                    default:
                        guard var counter = transaction.find(by: change.id) else { continue }
                        counter.count += change.kind
                        transaction.save(counter)
                    }
                }
            }
            for change in changes {
                switch change.kind {
                case 0: model[change.id] = nil
                case 1: model[change.id] = step
                default: if let count = model[change.id] { model[change.id] = count + change.kind }
                }
            }
            if step % 500 == 499 {
                try await repository.flush()
                disk = disk.afterPowerCut(.random(seed: UInt64(step)))
                repository = try open(disk) { $0.compaction = .automatic(minimumBytes: 20_000) }
                let found = await repository.loadAll()
                #expect(
                    Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.count) }) == model,
                    "step \(step)"
                )
            }
        }
    }
}
