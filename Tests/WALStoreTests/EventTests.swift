import Foundation
import LogStorage
import Synchronization
import TestSupport
import Testing
import WALStore

/// What a store told its log.
private final class Told: Sendable {
    private let events = Mutex<[StoreEvent]>([])

    func take(_ event: StoreEvent) {
        events.withLock { $0.append(event) }
    }

    var all: [StoreEvent] { events.withLock { $0 } }

    /// The kinds, without what they carry.
    var names: [Substring] {
        all.map { "\($0.kind)".prefix { $0 != ";" && $0 != ":" } }
    }

    /// Waits until so many were told.
    func wait(for count: Int) async throws {
        #expect(try await eventually { all.count >= count }, "\(all)")
    }
}

private func open(_ disk: SimulatedDisk, _ told: Told) throws -> Notes {
    var configuration = StoreConfiguration.on(disk)
    configuration.compaction = .manual
    configuration.log = told.take
    return try Notes(directory: Place.directory, configuration: configuration)
}

@Suite("Events for a log")
struct EventTests {
    @Test("Opening, compacting and closing are told in order")
    func life() async throws {
        let (disk, told) = (SimulatedDisk(), Told())
        let repository = try open(disk, told)
        try await repository.save(Note("a", "1"))
        try await repository.compact()
        try await repository.compact()
        try await repository.close()
        try await told.wait(for: 4)
        #expect(told.names == ["opened", "compaction started", "compaction finished", "closed"])
        #expect(told.all.allSatisfy { $0.level == .info && $0.store == Place.store })
        guard case .opened(let recovery) = told.all[0].kind else { return }
        #expect(recovery.origin == .created)
        guard case .compactionFinished(let report) = told.all[2].kind else { return }
        #expect(report.generation == 2 && report.bytesAfter > 0 && report.bytesBefore > 0)
        #expect(
            told.all[2].description.hasPrefix("\(Place.store): compaction finished; \(report.bytesBefore)")
        )
    }

    @Test("What recovery cuts and keeps is told with its place")
    func recovery() async throws {
        let (disk, told) = (SimulatedDisk(), Told())
        let first = try open(on: disk, writesAhead: false)
        try await first.save(Note("a", "1"))
        let crashed = disk.afterKill()
        crashed.setContents(Place.log, (crashed.contents(of: Place.log) ?? []) + Array(#"{"crc":"0"#.utf8))
        let repository = try open(crashed, told)
        try await told.wait(for: 3)
        #expect(told.names == ["opened", "9 bytes cut from the end of the log", told.names.last])
        guard case .quarantined(let bytes) = told.all[2].kind else {
            Issue.record("\(told.all)")
            return
        }
        #expect(bytes == repository.recovery.quarantined.first)
        #expect(told.all.map(\.level) == [.info, .warning, .warning])
        #expect(repository.recovery.description.contains("9 bytes cut"))
    }

    @Test("A compaction that fails is told with the pause that follows, and longer pauses later")
    func failedCompaction() async throws {
        let (disk, told) = (SimulatedDisk(), Told())
        let repository = try open(disk, told)
        try await repository.save(Note("a", "1"))
        for _ in 0..<2 {
            disk.capacity = disk.usedBytes
            #expect(await code { try await repository.compact() } == .diskFull)
            disk.capacity = nil
        }
        try await told.wait(for: 5)
        var pauses: [Duration] = []
        for event in told.all {
            if case .compactionPostponed(let pause) = event.kind { pauses.append(pause) }
        }
        #expect(pauses == [.seconds(1), .seconds(2)])
        #expect(told.names.filter { $0 == "compaction failed" }.count == 2)
        #expect(told.all.dropFirst().allSatisfy { $0.level == .warning })
        try await repository.close()
    }

    @Test("The end of writing is told once")
    func poisoned() async throws {
        let (disk, told) = (SimulatedDisk(), Told())
        let repository = try open(disk, told)
        disk.fail(.nth(.sync, 0), code: EIO)
        #expect(await code { try await repository.save(Note("a", "1")) } == .outcomeUnknown)
        #expect(await code { try await repository.save(Note("b", "2")) } == .poisoned)
        try await repository.close()
        try await told.wait(for: 3)
        #expect(told.names == ["opened", "nothing more is written", "closed"])
        #expect(told.all[1].level == .error)
    }

    @Test("A log that blocks or calls the store holds nothing up")
    func slowLog() async throws {
        let disk = SimulatedDisk()
        let (mayGoOn, told) = (DispatchSemaphore(value: 0), Told())
        var configuration = StoreConfiguration.on(disk)
        configuration.compaction = .manual
        configuration.log = { event in
            mayGoOn.wait()
            told.take(event)
        }
        let repository = try Notes(directory: Place.directory, configuration: configuration)
        for number in 0..<20 { try await repository.save(Note("n\(number)", "x")) }
        try await repository.compact()
        try await repository.close()
        #expect(told.all.isEmpty)
        for _ in 0..<4 { mayGoOn.signal() }
        try await told.wait(for: 4)
        #expect(told.names == ["opened", "compaction started", "compaction finished", "closed"])
    }

    @Test("Reports describe themselves in one line")
    func descriptions() async throws {
        let repository = try open(on: SimulatedDisk())
        try await repository.save(Note("a", "1"))
        let statistics = await repository.statistics.description
        #expect(statistics.hasPrefix("1 items; last number 1, stable up to 1; "))
        #expect(!statistics.contains("\n"))
        #expect("\(StoreError(.closed, "Closed."))" == "Closed. [closed]")
        #expect(repository.recovery.description.hasPrefix("store created; 0 records replayed"))
    }
}
