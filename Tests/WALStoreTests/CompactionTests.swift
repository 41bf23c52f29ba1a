import Foundation
import LogFormat
import LogStorage
import Testing
import TestSupport
import WALStore

/// An item with a revision, so that a state tells which save it comes from.
private struct Entry: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var revision: Int
}

private let place = URL(filePath: "/data")
private let store = "/data/data.wal"

private func configuration(
    on disk: SimulatedDisk,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    configuration.compaction = .manual
    change(&configuration)
    return configuration
}

private func open(
    _ disk: SimulatedDisk,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) throws -> LocalRepository<Entry> {
    try LocalRepository<Entry>(directory: place, configuration: configuration(on: disk, change))
}

private func state(of repository: LocalRepository<Entry>) async -> [String: Int] {
    Dictionary(uniqueKeysWithValues: await repository.loadAll().map { ($0.id, $0.revision) })
}

private func files(_ disk: SimulatedDisk) throws -> [String] {
    try (disk.names(in: store) ?? []).filter { $0 != "lock" && $0 != "quarantine" }.sorted()
}

/// Saves, batches and deletes, and a model of what was acknowledged and what may be there.
private struct History {
    var repository: LocalRepository<Entry>
    /// Every state in order; the store must open to one of them.
    var states: [[String: Int]] = [[:]]
    var acknowledged = 0
    private var revision = 0

    init(_ repository: LocalRepository<Entry>) {
        self.repository = repository
    }

    /// One change. When it fails and the outcome is known, it is not part of the history.
    mutating func step() async throws {
        do {
            try await change()
        } catch let error as StoreError {
            if error.code != .outcomeUnknown { states.removeLast(states.count - 1 - acknowledged) }
            throw error
        }
    }

    private mutating func change() async throws {
        revision += 1
        var state = states[states.count - 1]
        let id = "e\(revision * 7 % 5)"
        if revision % 6 == 0, state[id] != nil {
            state[id] = nil
            states.append(state)
            try await repository.delete(id)
        } else if revision % 4 == 0 {
            let batch = [Entry(id: id, revision: revision), Entry(id: "b", revision: revision)]
            for entry in batch { state[entry.id] = entry.revision }
            states.append(state)
            try await repository.save(contentsOf: batch)
        } else {
            state[id] = revision
            states.append(state)
            try await repository.save(Entry(id: id, revision: revision))
        }
        acknowledged = states.count - 1
    }
}

/// Eight changes, a compaction, eight more, another compaction, four more. Stops at the first error.
private func workload(_ history: inout History) async -> (any Error)? {
    do {
        for phase in 0..<3 {
            for _ in 0..<(phase == 2 ? 4 : 8) { try await history.step() }
            if phase < 2 { try await history.repository.compact() }
        }
        try await history.repository.close()
        return nil
    } catch {
        return error
    }
}

private func expectOneOf(
    _ history: History,
    _ found: [String: Int],
    _ context: @autoclosure () -> String
) {
    #expect(history.states[history.acknowledged...].contains(found), "\(context()): \(found)")
}

@Suite("Compaction")
struct CompactionTests {
    @Test("Compacting changes neither the state nor the numbers, and the generation before stays")
    func stateStays() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        var history = History(repository)
        for _ in 0..<20 { try await history.step() }
        try await repository.compact()
        #expect(
            try files(disk) == ["log-0000000001.jsonl", "log-0000000002.jsonl", "snapshot-0000000002.jsonl"]
        )
        #expect(await state(of: repository) == history.states.last)
        for _ in 0..<5 { try await history.step() }
        try await repository.compact()
        #expect(
            try files(disk) == [
                "log-0000000002.jsonl", "log-0000000003.jsonl", "snapshot-0000000002.jsonl",
                "snapshot-0000000003.jsonl",
            ]
        )
        let last = await repository.statistics.lastSequenceNumber
        try await repository.close()
        let reopened = try open(disk)
        #expect(await state(of: reopened) == history.states.last)
        #expect(await reopened.statistics.lastSequenceNumber == last)
        #expect(reopened.recovery.quarantined.isEmpty)
    }

    @Test("Compacting twice without a change in between does nothing the second time")
    func nothingToDo() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        try await repository.save(Entry(id: "a", revision: 1))
        try await repository.compact()
        let operations = disk.operationCount
        try await repository.compact()
        #expect(disk.operationCount == operations)
        #expect(await repository.statistics.compactions == 1)
    }

    @Test("Records survive compaction byte for byte")
    func bytesStay() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        for revision in 1...9 { try await repository.save(Entry(id: "e\(revision % 3)", revision: revision)) }
        try await repository.compact()
        let log = String(
            decoding: try #require(disk.contents(of: "\(store)/log-0000000001.jsonl")),
            as: UTF8.self
        )
        let snapshot = String(
            decoding: try #require(disk.contents(of: "\(store)/snapshot-0000000002.jsonl")),
            as: UTF8.self
        )
        let kept = log.split(separator: "\n").suffix(3)
        #expect(Array(snapshot.split(separator: "\n").dropFirst().dropLast()) == Array(kept))
    }

    @Test("Whatever call of the workload fails, nothing acknowledged is lost and nothing leaks")
    func everyFailingCall() async throws {
        let dry = SimulatedDisk()
        var history = History(try open(dry))
        #expect(await workload(&history) == nil)
        let total = dry.operationCount
        var struck = 0
        for index in 0..<total {
            for (code, effect) in [(EIO, Fault.Effect.nothing), (ENOSPC, .short(9)), (EIO, .done)] {
                let disk = SimulatedDisk()
                disk.fail(.operation(index), code: code, effect: effect)
                guard let repository = try? open(disk) else { continue }
                var history = History(repository)
                let error = await workload(&history)
                struck += disk.injectedFaultCount
                let context = "operation \(index), errno \(code), \(effect): \(disk.trace[index])"
                if let error { #expect(error is StoreError, "\(context)") }
                try await endOf(&history, disk, context)
            }
        }
        #expect(struck > total)
    }

    /// Goes on after a failure if the store allows it, then opens the store anew.
    private func endOf(_ history: inout History, _ disk: SimulatedDisk, _ context: String) async throws {
        let repository = history.repository
        // A store that is not poisoned goes on; a poisoned one refuses and keeps its state.
        if await repository.statistics.poison == nil {
            _ = try? await history.step()
        }
        _ = try? await repository.close()
        let after = disk.afterPowerCut(.random(seed: UInt64(history.acknowledged)))
        let reopened = try open(after)
        expectOneOf(history, await state(of: reopened), context)
        try await reopened.save(Entry(id: "again", revision: 0))
        try await reopened.compact()
        try await reopened.close()
        #expect(try !files(after).contains { $0.hasSuffix(".tmp") }, "\(context)")
        #expect(after.openFileCount == 0 && after.heldLockCount == 0, "\(context)")
    }

    @Test("Wherever the power is cut, the store opens to a state that was acknowledged or issued")
    func everyCrashPoint() async throws {
        let dry = SimulatedDisk()
        var history = History(try open(dry))
        #expect(await workload(&history) == nil)
        for index in 0..<dry.operationCount {
            for isTorn in [false, true] {
                let disk = SimulatedDisk()
                disk.cutPower(beforeOperation: index, tearsWrite: isTorn)
                guard let repository = try? open(disk) else { continue }
                var history = History(repository)
                let error = await workload(&history)
                #expect(error != nil)
                for seed in 0..<12 {
                    let survivors: Survivors =
                        seed == 0 ? .nothingUnsynced : seed == 1 ? .everything : .random(seed: UInt64(seed))
                    let context =
                        "cut before \(index) (torn \(isTorn)), \(survivors): \(disk.trace.suffix(3))"
                    let after = disk.afterPowerCut(survivors)
                    let reopened = try open(after)
                    expectOneOf(history, await state(of: reopened), context)
                    try await reopened.save(Entry(id: "again", revision: seed))
                    try await reopened.compact()
                    let second = after.afterPowerCut(survivors)
                    let again = try open(second)
                    #expect(await again.find(by: "again")?.revision == seed, "\(context)")
                    try await again.close()
                    #expect(try !files(second).contains { $0.hasSuffix(".tmp") }, "\(context)")
                    #expect(try files(second).count <= 5, "\(context): \(second.paths)")
                }
            }
        }
    }

    @Test("Opening clears the files that a compaction had replaced and not yet removed")
    func leftovers() async throws {
        let disk = SimulatedDisk()
        var repository = try open(disk)
        for generation in 1...3 {
            try await repository.save(Entry(id: "a", revision: generation))
            disk.fail(.every(.remove), code: EACCES)
            // From the second on it has something to remove and cannot.
            if generation == 1 {
                try await repository.compact()
            } else {
                await #expect(throws: StoreError.self) { try await repository.compact() }
            }
            disk.clearFaults()
            try await repository.close()
            repository = try open(disk)
        }
        #expect(await repository.find(by: "a")?.revision == 3)
        #expect(
            try files(disk) == [
                "log-0000000003.jsonl", "log-0000000004.jsonl", "snapshot-0000000003.jsonl",
                "snapshot-0000000004.jsonl",
            ]
        )
    }
}
