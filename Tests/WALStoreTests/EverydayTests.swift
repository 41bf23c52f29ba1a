import Foundation
import LogFormat
import TestSupport
import Testing
import WALStore

@Suite struct EverydayTests {
    private struct Question: Codable, Identifiable, Equatable {
        var id: String
        var title: String
    }

    @Test func theFiveCallsOfTheFirstExampleWork() async throws {
        let directory = try TemporaryDirectory()
        let newQuestion = Question(id: "q-001", title: "Why?")
        do {
            let repository = try LocalRepository<Question>(directory: directory.url)
            #expect(await repository.find(by: "q-001") == nil)
            try await repository.save(newQuestion)
            #expect(await repository.find(by: "q-001") == newQuestion)
            #expect(await repository.loadAll() == [newQuestion])
            try await repository.close()
        }
        let repository = try LocalRepository<Question>(directory: directory.url)
        #expect(await repository.loadAll() == [newQuestion])
        try await repository.delete("q-001")
        #expect(await repository.loadAll().isEmpty)
        try await repository.close()
        let last = try await LocalRepository<Question>.open(directory: directory.url)
        #expect(await last.count == 0)
    }

    @Test func everyKindOfChangeIsThereAfterReopeningWithAndWithoutClose() async throws {
        for closes in [true, false] {
            let disk = SimulatedDisk()
            var repository: Notes? = try open(on: disk)
            try await repository?.save(Note("a", "1"))
            try await repository?.save(Note("b", "1"))
            try await repository?.save(Note("a", "2"))
            try await repository?.save(contentsOf: [Note("c", "1"), Note("d", "1"), Note("c", "2")])
            try await repository?.delete("b")
            try await repository?.delete(contentsOf: ["d", "unknown", "d"])
            let expected = ["a": "2", "c": "2"]
            #expect(await repository?.texts == expected)
            if closes { try await repository?.close() }
            repository = nil
            #expect(try await eventually { disk.heldLockCount == 0 })
            let again = try open(on: disk)
            #expect(await again.texts == expected, "closes: \(closes)")
            #expect(again.recovery.lastSequenceNumber == (closes ? 9 : 8))
        }
    }

    @Test func readsAgreeWithEachOther() async throws {
        let repository = try open(on: SimulatedDisk())
        try await repository.save(contentsOf: (0..<1000).map { Note("n\($0)", "\($0 % 10)") })
        try await repository.delete(contentsOf: (0..<500).map { "n\($0)" })
        #expect(await repository.count == 500)
        #expect(await repository.loadAll().count == 500)
        #expect(await repository.contains("n500"))
        #expect(await !repository.contains("n499"))
        #expect(await repository.find(by: "n777") == Note("n777", "7"))
        #expect(await repository.filter { $0.text == "3" }.count == 50)
    }

    @Test func statisticsCountWhatWasWrittenAndSynced() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk, writesAhead: false)
        try await repository.save(Note("a"))
        try await repository.save(contentsOf: [Note("b"), Note("c")])
        try await repository.delete("a")
        let statistics = await repository.statistics
        #expect(statistics.liveRecords == 2)
        #expect(statistics.recordsWritten == 4)
        #expect(statistics.lastSequenceNumber == 4)
        #expect(statistics.stableSequenceNumber == 4)
        #expect(statistics.syncs == 3)
        #expect(statistics.largestGroup == 2)
        #expect(statistics.logBytes == UInt64(disk.contents(of: Place.log)?.count ?? 0))
        #expect(statistics.poison == nil)
    }

    @Test func theReportTellsWhatOpeningFound() async throws {
        let disk = SimulatedDisk()
        let first = try open(on: disk)
        #expect(first.recovery.origin == .created)
        try await first.save(contentsOf: [Note("a"), Note("b")])
        try await first.save(Note("a", "again"))
        try await first.close()
        let second = try open(on: disk)
        #expect(second.recovery.origin == .existing)
        #expect(second.recovery.recordsReplayed == 4, "three saves and the mark")
        #expect(second.recovery.lastSequenceNumber == 4)
        #expect(second.recovery.quarantined.isEmpty)
        #expect(second.recovery.bytesCut == 0)
        #expect(second.recovery.undecodable.isEmpty)
    }

    @Test func aTornTailIsReportedAndKept() async throws {
        let disk = SimulatedDisk()
        let first = try open(on: disk)
        try await first.save(Note("a", "1"))
        try await first.close()
        let torn = Array(#"{"crc":"00000000","seq":3,"at":1,"op":"pu"#.utf8)
        disk.setContents(Place.log, (disk.contents(of: Place.log) ?? []) + torn)
        let second = try open(on: disk)
        let found = try #require(second.recovery.quarantined.first)
        #expect(second.recovery.quarantined.count == 1)
        #expect(second.recovery.bytesCut == UInt64(torn.count))
        #expect(disk.contents(of: found.path) == torn)
        #expect(await second.texts == ["a": "1"])
    }

    @Test func deletingAnUnknownIDWritesNothing() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a"))
        let operations = disk.operationCount
        try await repository.delete("b")
        try await repository.delete(contentsOf: ["b", "c"])
        try await repository.delete(contentsOf: [])
        try await repository.save(contentsOf: [])
        #expect(disk.operationCount == operations)
    }

    @Test func timesNeverFallWhenTheClockStepsBack() async throws {
        let disk = SimulatedDisk()
        let clock = SteppingClock([5_000, 4_000, 9_000, 1_000, -7, 9_001, 0, 0, 0, 0])
        var configuration = StoreConfiguration.on(disk)
        configuration.now = { clock.next() }
        for life in 0..<3 {
            let repository = try Notes(directory: Place.directory, configuration: configuration)
            for number in 0..<4 { try await repository.save(Note("\(life)-\(number)")) }
            try await repository.close()
        }
        let times = records(disk.contents(of: Place.log)).map(\.head.time)
        #expect(times.count == 15)
        #expect(times == times.sorted())
        #expect(times.last == 9_001)
    }
}
