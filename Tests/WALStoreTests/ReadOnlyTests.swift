import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

private struct Entry: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var revision: Int
}

private func configuration(_ disk: SimulatedDisk) -> StoreConfiguration {
    var configuration = StoreConfiguration.on(disk)
    configuration.compaction = .automatic(minimumBytes: 2_000)
    return configuration
}

private func write(_ disk: SimulatedDisk) throws -> LocalRepository<Entry> {
    try LocalRepository(directory: Place.directory, configuration: configuration(disk))
}

private func read(_ disk: SimulatedDisk) async throws -> ReadOnlyRepository<Entry> {
    try await ReadOnlyRepository(directory: Place.directory, configuration: configuration(disk))
}

private func state(_ items: [Entry]) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.revision) })
}

/// The state after record `number`, when record n saves revision n.
private func state(after number: UInt64) -> [String: Int] {
    var state: [String: Int] = [:]
    for revision in stride(from: 1, through: Int(number), by: 1) { state["e\(revision % 7)"] = revision }
    return state
}

@Suite("Reading beside a writer")
struct ReadOnlyTests {
    @Test("A reader shows what is known to be stable, needs no lock and changes nothing")
    func stable() async throws {
        let disk = SimulatedDisk()
        let writer = try write(disk)
        for revision in 1...5 { try await writer.save(Entry(id: "e\(revision)", revision: revision)) }
        let operations = disk.operationCount
        let reader = try await read(disk)
        #expect(disk.operationCount == operations)
        // The last record is stable, and no line behind it says so yet.
        #expect(await reader.lastSequenceNumber == 4)
        try await writer.close()
        #expect(try await reader.refresh())
        #expect(state(await reader.loadAll()) == state(await writer.loadAll()))
        #expect(try await !reader.refresh())
    }

    @Test("A reader never shows a state that the writer did not have, while that dies and compacts")
    func followsRestarts() async throws {
        let disk = SimulatedDisk()
        var writer: LocalRepository<Entry>? = try write(disk)
        try await writer?.save(Entry(id: "e1", revision: 1))
        let reader = try await read(disk)
        let isDone = Task {
            var looks = 0
            while !Task.isCancelled {
                try await reader.refresh()
                let (found, last) = (await reader.loadAll(), await reader.lastSequenceNumber)
                #expect(state(found) == state(after: last), "record \(last)")
                looks += 1
                // Another test may hold the pool's other thread in a sync.
                try? await Task.sleep(for: .microseconds(100))
            }
            return looks
        }
        var generation: UInt64 = 0
        for revision in 2...2_000 {
            try await writer?.save(Entry(id: "e\(revision % 7)", revision: revision))
            if revision % 40 == 0 {
                generation = await writer?.statistics.generation ?? 0
                writer = nil
                // The last reference falls with the tasks that still hold it.
                while disk.heldLockCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
                writer = try write(disk)
            }
        }
        isDone.cancel()
        #expect(try await isDone.value > 10)
        #expect(generation > 5)
        try await writer?.close()
        try await reader.refresh()
        #expect(state(await reader.loadAll()) == state(after: 2_000))
    }

    @Test("A feed beside a writer goes on across its restarts, without a change twice or missed")
    func feed() async throws {
        let disk = SimulatedDisk()
        var writer: LocalRepository<Entry>? = try write(disk)
        try await writer?.save(Entry(id: "e1", revision: 1))
        let reader = try await read(disk)
        let follower = Task {
            var mirror: [String: Int] = [:]
            var last: UInt64 = 0
            for try await change in reader.changes(every: .milliseconds(1)) {
                if change.kind == .reset {
                    mirror = [:]
                    last = 0
                    continue
                }
                #expect(change.sequenceNumber > last)
                last = change.sequenceNumber
                if let new = change.new { mirror[new.id] = new.revision }
                if last >= 600 { break }
            }
            return mirror
        }
        for revision in 2...601 {
            try await writer?.save(Entry(id: "e\(revision % 7)", revision: revision))
            if revision % 50 == 0 {
                writer = nil
                while disk.heldLockCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
                writer = try write(disk)
            }
        }
        #expect(try await follower.value == state(after: 600))
        try await writer?.close()
    }

    @Test("Where there is no store a reader is refused")
    func missing() async throws {
        let error = await #expect(throws: StoreError.self) { try await read(SimulatedDisk()) }
        #expect(error?.code == .filesMissing)
    }
}
