import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

private struct Entry: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var revision: Int
}

private func open(
    _ disk: SimulatedDisk,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) throws -> LocalRepository<Entry> {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    configuration.compaction = .manual
    change(&configuration)
    return try LocalRepository(directory: URL(filePath: "/data"), configuration: configuration)
}

/// A reader that keeps a state from what it is told.
private struct Mirror {
    var state: [String: Int] = [:]
    var resets = 0
    var changes = 0
    var last: UInt64 = 0

    mutating func take(_ change: Change<Entry>) {
        changes += 1
        switch change.kind {
        case .reset:
            state = [:]
            resets += 1
            last = 0
            return
        case .saved: if let new = change.new { state[new.id] = new.revision }
        case .deleted: if let id = change.id { state[id] = nil }
        }
        #expect(change.sequenceNumber > last, "Numbers rise, so nothing is repeated.")
        last = change.sequenceNumber
    }
}

private func state(_ repository: LocalRepository<Entry>) async -> [String: Int] {
    Dictionary(uniqueKeysWithValues: await repository.loadAll().map { ($0.id, $0.revision) })
}

/// Follows until the mirror has reached a number.
private func follow(
    _ repository: LocalRepository<Entry>,
    _ mirror: inout Mirror,
    until number: UInt64
) async throws {
    if mirror.last >= number { return }
    for try await change in repository.changes(since: mirror.last) {
        mirror.take(change)
        if mirror.last >= number { return }
    }
}

@Suite("Change feed")
struct ChangesTests {
    @Test("A reader gets what was, then what comes, in order, with old values while it keeps up")
    func order() async throws {
        let repository = try open(SimulatedDisk())
        try await repository.save(Entry(id: "a", revision: 1))
        try await repository.save(contentsOf: [Entry(id: "b", revision: 2), Entry(id: "a", revision: 3)])
        let reader = Task {
            var seen: [String] = []
            for try await change in repository.changes() {
                seen.append(
                    "\(change.sequenceNumber) \(change.kind) \(change.id ?? "") \(change.old?.revision ?? 0)>\(change.new?.revision ?? 0)"
                )
                if seen.count == 5 { break }
            }
            return seen
        }
        while await repository.waitingReaders == 0 { await Task.yield() }
        try await repository.delete("b")
        try await repository.save(Entry(id: "a", revision: 4))
        #expect(
            try await reader.value == [
                "1 saved a 0>1", "2 saved b 0>2", "3 saved a 0>3", "4 deleted b 2>0", "5 saved a 3>4",
            ]
        )
    }

    @Test("A change is delivered only once it is stable, under both durabilities")
    func onlyStable() async throws {
        for durability in [StoreConfiguration.Durability.synced, .written(syncEvery: .milliseconds(1))] {
            let disk = SimulatedDisk()
            let repository = try open(disk) { $0.durability = durability }
            var iterator = repository.changes().makeAsyncIterator()
            disk.stallSyncs()
            let save = Task { try await repository.save(Entry(id: "a", revision: 1)) }
            try await disk.waitForStalledSyncs()
            let next = Task { [iterator] in
                var iterator = iterator
                return try await iterator.next()
            }
            try await Task.sleep(for: .milliseconds(20))
            #expect(await repository.waitingReaders > 0, "\(durability)")
            disk.releaseSyncs()
            #expect(try await next.value?.sequenceNumber == 1)
            try await save.value
            _ = iterator
            iterator = repository.changes().makeAsyncIterator()
        }
    }

    @Test("A reader that was away goes on with its number, also after a relaunch, and misses nothing")
    func resumes() async throws {
        let disk = SimulatedDisk()
        var repository = try open(disk) { $0.retention = .init(generations: .max, deletes: .all) }
        var mirror = Mirror()
        var random = SeededGenerator(seed: 3)
        for round in 1...12 {
            for step in 0..<50 {
                let id = "e\(Int.random(in: 0..<12, using: &random))"
                if step % 7 == 0 {
                    try await repository.delete(id)
                } else {
                    try await repository.save(Entry(id: id, revision: round * 100 + step))
                }
            }
            if round % 3 == 0 { try await repository.compact() }
            if round % 4 == 0 {
                try await repository.close()
                repository = try open(disk) { $0.retention = .init(generations: .max, deletes: .all) }
                try await repository.save(Entry(id: "after", revision: round))
            }
            if round % 2 == 0 {
                let last = await repository.statistics.stableSequenceNumber
                try await follow(repository, &mirror, until: last)
                #expect(mirror.state == (await state(repository)), "round \(round)")
            }
        }
        #expect(mirror.resets == 0)
        // Each record once: all numbers but those of the marks that closing wrote.
        #expect((Int(mirror.last) - 3...Int(mirror.last)).contains(mirror.changes))
    }

    @Test("When history is gone the reader gets a reset and then the whole state")
    func reset() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        for revision in 1...30 {
            try await repository.save(Entry(id: "e\(revision % 4)", revision: revision))
        }
        var mirror = Mirror()
        try await follow(repository, &mirror, until: 10)
        for revision in 31...60 {
            try await repository.save(Entry(id: "e\(revision % 4)", revision: revision))
            if revision % 10 == 0 { try await repository.compact() }
        }
        try await repository.delete("e3")
        let last = await repository.statistics.stableSequenceNumber
        try await follow(repository, &mirror, until: last)
        #expect(mirror.resets == 1)
        #expect(mirror.state == (await state(repository)))

        var ahead = Mirror()
        ahead.last = 10_000
        ahead.state = ["nothing": 1]
        for try await change in repository.changes(since: ahead.last) {
            ahead.take(change)
            if change.sequenceNumber == last, change.kind != .reset { break }
        }
        #expect(ahead.resets == 1)
        #expect(ahead.state == (await state(repository)))
    }

    @Test("Deletes that the retention keeps let a reader go on past a compaction without a reset")
    func keptDeletes() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) { $0.retention.deletes = .all }
        for id in ["a", "b", "c"] { try await repository.save(Entry(id: id, revision: 1)) }
        var mirror = Mirror()
        try await follow(repository, &mirror, until: 3)
        try await repository.delete("a")
        for _ in 0..<3 {
            try await repository.save(Entry(id: "b", revision: 2))
            try await repository.compact()
        }
        try await repository.save(Entry(id: "d", revision: 3))
        try await follow(repository, &mirror, until: await repository.statistics.stableSequenceNumber)
        #expect(mirror.resets == 0)
        #expect(mirror.state == ["b": 2, "c": 1, "d": 3])
    }

    @Test("Closing ends every loop after the last change, and cancelling ends one at once")
    func ends() async throws {
        let repository = try open(SimulatedDisk())
        let readers = (0..<8).map { _ in
            Task {
                var mirror = Mirror()
                for try await change in repository.changes() { mirror.take(change) }
                return mirror.state
            }
        }
        let cancelled = Task {
            for try await _ in repository.changes() {}
            return true
        }
        for revision in 0..<200 {
            try await repository.save(Entry(id: "e\(revision % 5)", revision: revision))
        }
        cancelled.cancel()
        #expect(try await cancelled.value)
        try await repository.close()
        let expected = await state(repository)
        for reader in readers { #expect(try await reader.value == expected) }
    }

    @Test("A reader goes on in a large log that retention removes under it")
    func removedUnderIt() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk)
        let filler = String(repeating: "x", count: 2_000)
        try await repository.save(contentsOf: (0..<6_000).map { Entry(id: "\(filler)\($0)", revision: 1) })
        var mirror = Mirror()
        for try await change in repository.changes() {
            mirror.take(change)
            if mirror.changes == 300 {
                for revision in 2...3 {
                    try await repository.compact()
                    try await repository.save(Entry(id: "last", revision: revision))
                }
                #expect(disk.contents(of: "/data/data.wal/log-0000000001.jsonl") == nil)
            }
            if change.id == "last", change.new?.revision == 3 { break }
        }
        #expect(mirror.resets == 0)
        #expect(mirror.state == (await state(repository)))
    }

    @Test("A reader far behind ends with the writer's state while compactions run")
    func farBehind() async throws {
        #if DEBUG
            let count = 20_000
        #else
            let count = 200_000
        #endif
        let disk = SimulatedDisk()
        let repository = try open(disk) {
            $0.durability = .written(syncEvery: .milliseconds(50))
            $0.compaction = .automatic(minimumBytes: 100_000)
        }
        let writer = Task {
            for revision in 0..<count {
                let id = "e\(revision &* 7919 % 500)"
                if revision % 11 == 0 {
                    try await repository.delete(id)
                } else {
                    try await repository.save(Entry(id: id, revision: revision))
                }
                // On a busy machine none of the automatic ones may come to its end.
                if revision == count / 2 { try await repository.compact() }
            }
            try await repository.flush()
            try await repository.close()
        }
        var mirror = Mirror()
        for try await change in repository.changes() {
            mirror.take(change)
            if mirror.changes % 1_000 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        try await writer.value
        #expect(mirror.state == (await state(repository)))
        #expect(await repository.statistics.compactions > 0)
    }
}
