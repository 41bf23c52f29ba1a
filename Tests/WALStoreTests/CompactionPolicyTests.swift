import Foundation
import LogStorage
import Testing
import TestSupport
import WALStore

private struct Entry: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var revision: Int
    var text: String

    init(_ id: String, _ revision: Int, bytes: Int = 100) {
        self.id = id
        self.revision = revision
        text = String(repeating: "x", count: bytes)
    }
}

private let store = "/data/data.wal"

private func open(
    _ disk: SimulatedDisk,
    _ change: (inout StoreConfiguration) -> Void = { _ in }
) throws -> LocalRepository<Entry> {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    change(&configuration)
    return try LocalRepository(directory: URL(filePath: "/data"), configuration: configuration)
}

private func bytes(_ disk: SimulatedDisk, where isCounted: (String) -> Bool) -> Int {
    disk.sortedNames(in: store).filter(isCounted)
        .reduce(0) { $0 + (disk.contents(of: "\(store)/\($1)")?.count ?? 0) }
}

/// Returns once `condition` holds.
private func wait(_ what: String, _ condition: () async -> Bool) async throws {
    for _ in 0..<20_000 {
        if await condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("It did not come to pass: \(what)")
}

@Suite("Automatic compaction")
struct CompactionPolicyTests {
    @Test("Under steady overwriting the files stay within three times what is live")
    func bounded() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) {
            $0.durability = .written(syncEvery: .seconds(1))
            $0.compaction = .automatic(minimumBytes: 10_000)
        }
        var model: [String: Int] = [:]
        var largest = 0.0
        for revision in 0..<20_000 {
            let id = "entry-\(revision * 7919 % 1_000)"
            model[id] = revision
            try await repository.save(Entry(id, revision))
            // What is saved while a compaction runs comes on top; here it is the policy that is measured.
            if revision % 20 == 0 {
                try await wait("a compaction ends") { await repository.statistics.compactionProgress == nil }
            }
            if revision % 500 == 0, revision > 4_000 {
                let live = try #require(disk.contents(of: newestSnapshot(disk))).count
                largest = max(largest, Double(bytes(disk) { $0.hasSuffix(".jsonl") }) / Double(live))
            }
        }
        #expect(largest <= 3, "\(largest)")
        #expect(await repository.statistics.compactions > 10)
        #expect(await repository.statistics.lastCompactionError == nil)
        try await repository.close()
        let reopened = try open(disk)
        #expect(
            Dictionary(uniqueKeysWithValues: await reopened.loadAll().map { ($0.id, $0.revision) }) == model
        )
    }

    private func newestSnapshot(_ disk: SimulatedDisk) -> String {
        "\(store)/\(disk.sortedNames(in: store).last { $0.hasPrefix("snapshot") && $0.hasSuffix(".jsonl") } ?? "")"
    }

    @Test("A disk too full to compact lets saves go on, says why, and heals when there is space")
    func tooFull() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) {
            $0.compaction = .automatic(minimumBytes: 2_000)
            $0.writesAhead = false
        }
        disk.capacity = 4_000
        var revision = 0
        while bytes(disk, where: { $0.hasPrefix("log") }) < 3_200 {
            revision += 1
            try await repository.save(Entry("e\(revision % 3)", revision))
        }
        try await wait("the failure is visible") { await repository.statistics.lastCompactionError != nil }
        #expect(await repository.statistics.lastCompactionError?.contains("bytes") == true)
        revision += 1
        try await repository.save(Entry("e\(revision % 3)", revision))
        #expect(!disk.sortedNames(in: store).contains { $0.hasSuffix(".tmp") })

        disk.capacity = nil
        try await wait("it heals by itself") {
            let statistics = await repository.statistics
            return statistics.compactions == 1 && statistics.lastCompactionError == nil
        }
        #expect(await repository.find(by: "e\(revision % 3)")?.revision == revision)
    }

    @Test("A merge that fails again and again does not begin a log each time")
    func noPileOfLogs() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) { $0.compaction = .manual }
        try await repository.save(Entry("a", 1))
        disk.fail(.every(.create), code: EIO, file: "snapshot-0000000002.jsonl.tmp")
        for revision in 2..<6 {
            await #expect(throws: StoreError.self) { try await repository.compact() }
            try await repository.save(Entry("a", revision))
        }
        #expect(disk.sortedNames(in: store).filter { $0.hasPrefix("log") }.count == 2)
        disk.clearFaults()
        try await repository.compact()
        #expect(await repository.statistics.generation == 3)
        #expect(await repository.find(by: "a")?.revision == 5)
    }

    @Test("Damage that is found while copying stops the compaction, and nothing is removed")
    func damageWhileCopying() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) { $0.compaction = .manual }
        for revision in 1...3 { try await repository.save(Entry("e\(revision)", revision)) }
        try await repository.compact()
        try await repository.save(Entry("e1", 9))
        let name = "\(store)/snapshot-0000000002.jsonl"
        var damaged = try #require(disk.contents(of: name))
        damaged[damaged.count / 2] ^= 1
        disk.setContents(name, damaged)
        let error = await #expect(throws: StoreError.self) { try await repository.compact() }
        #expect(error?.code == .corruption)
        #expect(disk.contents(of: "\(store)/log-0000000001.jsonl") != nil)
        #expect(disk.contents(of: "\(store)/snapshot-0000000003.jsonl") == nil)
        try await repository.save(Entry("e2", 10))
        try await repository.close()

        let reopened = try open(disk) { $0.compaction = .manual }
        #expect(reopened.recovery.rebuiltSnapshot == 2)
        #expect(reopened.recovery.quarantined.map(\.file) == ["snapshot-0000000002.jsonl"])
        #expect(await reopened.find(by: "e1")?.revision == 9)
        #expect(await reopened.find(by: "e2")?.revision == 10)
        #expect(await reopened.find(by: "e3")?.revision == 3)
        try await reopened.compact()
        #expect(await reopened.count == 3)
    }

    @Test("Retention keeps as many generations as it is told")
    func generations() async throws {
        for kept in [1, 2, 3, Int.max] {
            let disk = SimulatedDisk()
            let repository = try open(disk) {
                $0.compaction = .manual
                $0.retention.generations = kept
            }
            for revision in 1...6 {
                try await repository.save(Entry("a", revision))
                try await repository.compact()
            }
            let snapshots = disk.sortedNames(in: store).filter { $0.hasPrefix("snapshot") }
            #expect(snapshots.count == min(6, kept == Int.max ? 6 : kept + 1), "\(kept)")
        }
    }

    @Test("Deletes stay in snapshots as far back as the retention says, and no further than is known")
    func deletes() async throws {
        for (retention, expected) in [
            (StoreConfiguration.Retention.Deletes.none, [String]()), (.newest(4), ["c"]),
            (.all, ["a", "b", "c"]),
        ] {
            let disk = SimulatedDisk()
            let repository = try open(disk) {
                $0.compaction = .manual
                $0.retention.deletes = retention
            }
            for id in ["a", "b", "c", "d"] { try await repository.save(Entry(id, 1)) }
            for id in ["a", "b"] { try await repository.delete(id) }
            try await repository.compact()
            for revision in 0..<2 { try await repository.save(Entry("d", revision)) }
            try await repository.delete("c")
            try await repository.save(Entry("d", 2))
            try await repository.compact()
            let lines = String(
                decoding: try #require(disk.contents(of: "\(store)/snapshot-0000000003.jsonl")),
                as: UTF8.self
            ).split(separator: "\n")
            let found = lines.filter { $0.contains(#""op":"delete""#) }.map { String($0.suffix(3).prefix(1)) }
            #expect(found == expected, "\(retention)")
            try await repository.close()
            let reopened = try open(disk)
            #expect(await reopened.loadAll().map(\.id) == ["d"])
        }
    }

    @Test("Closing ends a compaction soon and without its snapshot, and nothing is left of it")
    func closeWhileCompacting() async throws {
        let disk = SimulatedDisk()
        let repository = try open(disk) {
            $0.compaction = .manual
            $0.durability = .written(syncEvery: .seconds(60))
        }
        for revision in 0..<2_000 { try await repository.save(Entry("e\(revision)", revision)) }
        async let compaction: Void = repository.compact()
        try await wait("the compaction runs") { await repository.statistics.compactionProgress != nil }
        try await repository.close()
        do { try await compaction } catch let error as StoreError { #expect(error.code == .closed) }
        #expect(!disk.sortedNames(in: store).contains { $0.hasSuffix(".tmp") })
        let reopened = try open(disk)
        #expect(await reopened.count == 2_000)
    }
}
