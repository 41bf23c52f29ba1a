import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import Synchronization
import TestSupport
import Testing

@Suite struct LogAppenderTests {
    /// A clock that a test sets.
    private final class TestClock: Sendable {
        private let time = Atomic<Int64>(1_000)

        func set(_ value: Int64) { time.store(value, ordering: .relaxed) }

        var now: @Sendable () -> Int64 { { self.time.load(ordering: .relaxed) } }
    }

    private let name = StoreDirectory.logName(1)

    /// A disk with a log that has `build` behind its header, and an appender at its end.
    private func opened(
        largestRecord: Int = LogScanner.longestLine,
        clock: TestClock = TestClock(),
        build: (inout LogBuilder) -> Void = { _ in }
    ) throws -> (SimulatedDisk, LogAppender) {
        var log = LogBuilder(time: 500)
        log.header()
        build(&log)
        let disk = SimulatedDisk.holding([name: log.bytes])
        let directory = StoreDirectory.simulated(disk)
        let plan = try Recovery.storePlan(directory)
        let file = try #require(try disk.openForWriting(directory.path(of: name)))
        let appender = LogAppender(file, plan, in: directory, largestRecord: largestRecord, now: clock.now)
        return (disk, appender)
    }

    private func put(_ id: String, _ value: String = "1") -> EncodedMutation {
        Change.put(id, value).encoded
    }

    private func sync(_ appender: inout LogAppender) throws {
        let point = appender.syncPoint
        try appender.file?.sync()
        appender.didSync(point)
    }

    private func records(_ disk: SimulatedDisk) throws -> [ByteFile.CopiedRecord] {
        let items = ByteFile(try #require(disk.file(name))).items()
        #expect(items.reasons.isEmpty)
        return items.records
    }

    @Test func numbersAreGaplessAcrossRecordsBatchesMarksAndOpenings() throws {
        let clock = TestClock()
        var (disk, appender) = try opened(clock: clock)
        var expected: UInt64 = 1
        for round in 0..<5 {
            for size in 1...4 {
                let first = try appender.append((0..<size).map { put("\($0)") })
                #expect(first.rawValue == expected, "round \(round), size \(size)")
                expected += UInt64(size)
            }
            try sync(&appender)
            #expect(try appender.appendMark())
            expected += 1
            try sync(&appender)
            appender.close()
            let store = try EngineStore.open(.simulated(disk), now: clock.now)
            appender = store.appender
        }
        #expect(try records(disk).map(\.head.sequenceNumber.rawValue) == Array(1..<expected))
    }

    @Test func syncedIsSaidOnceAndOnlyOfWhatWasSynced() throws {
        var (disk, appender) = try opened()
        var stable: UInt64 = 0
        var said: UInt64 = 0
        var random = SeededGenerator(seed: 1)
        for round in 0..<60 {
            // A sync covers nothing that is written after it began.
            let point = appender.syncPoint
            for _ in 0...random.below(2) {
                let size = 1 + random.below(3)
                _ = try appender.append((0..<size).map { put("\($0)") })
                let batch = try records(disk).suffix(size).map(\.head.synced?.rawValue)
                let first = stable > said ? stable : nil
                #expect(batch == [first] + Array(repeating: nil, count: size - 1), "round \(round)")
                said = max(said, stable)
            }
            guard random.oneIn(3) else { continue }
            appender.didSync(point)
            stable = max(stable, point.position.sequenceNumber.rawValue)
        }
        #expect(said > 10)
    }

    @Test func theFirstRecordAfterOpeningSaysThatAllBeforeItWasSyncedUnlessThatWasSaid() throws {
        let cases: [(name: String, said: UInt64?, build: (inout LogBuilder) -> Void)] = [
            ("a header alone says it", nil, { _ in }),
            ("nothing says it", 1, { $0.put("a", "1") }),
            (
                "a record says some of it", 3,
                {
                    $0.put("a", "1")
                    $0.put("b", "1", synced: .first)
                    $0.put("c", "1")
                }
            ),
            (
                "a mark says it of all but itself", 2,
                {
                    $0.put("a", "1")
                    $0.mark()
                }
            ),
            ("a batch", 2, { $0.batch([("a", "1"), ("b", "2")]) }),
            (
                "a line that was cut says it", 1,
                {
                    $0.put("a", "1")
                    $0.put("b", "1", synced: .first, more: true)
                }
            ),
        ]
        for (name, said, build) in cases {
            let (disk, closed) = try opened(build: build)
            var first = closed
            first.close()
            var store = try EngineStore.open(.simulated(disk))
            _ = try store.appender.append([put("x"), put("y")])
            let written = try records(disk).suffix(2).map(\.head.synced?.rawValue)
            #expect(written == [said, nil], "\(name)")
        }
    }

    @Test func timesNeverFallWhenTheClockStepsBack() throws {
        let clock = TestClock()
        var (disk, appender) = try opened(clock: clock) { $0.put("a", "1") }
        let times: [Int64] = [2_000, 10, 1_999, 2_001, -5, .min, 2_001, 3_000, 0]
        for time in times {
            clock.set(time)
            _ = try appender.append([put("a"), put("b")])
        }
        try sync(&appender)
        clock.set(1)
        #expect(try appender.appendMark())
        try sync(&appender)
        appender.close()
        let found = try records(disk).map(\.head.time)
        #expect(found == found.sorted() && found.last == 3_000)
        // Nor across openings: the plan knows the last.
        var store = try EngineStore.open(.simulated(disk), now: clock.now)
        _ = try store.appender.append([put("c")])
        #expect(try records(disk).last?.head.time == 3_000)
    }

    @Test func aBatchIsMarkedOnAllButItsLastRecord() throws {
        for size in 1...6 {
            var (disk, appender) = try opened()
            let first = appender.written.sequenceNumber
            _ = try appender.append([put("before")])
            try sync(&appender)
            _ = try appender.append((0..<size).map { put("\($0)", "\($0)") })
            let batch = try records(disk).dropFirst()
            let more = batch.map(\.head.more)
            #expect(more == (1...size).map { $0 < size })
            #expect(batch.first?.head.synced == first.next)
            #expect(batch.dropFirst().allSatisfy { $0.head.synced == nil })
        }
    }

    @Test func aRecordOverTheLimitIsRefusedBeforeAnyByteIsWritten() throws {
        let (measured, smaller) = try opened()
        var measuring = smaller
        _ = try measuring.append([put("a", #""12345""#)])
        let size = try #require(try records(measured).first).line.count
        for (limit, fits) in [(size, true), (size - 1, false)] {
            for position in 0..<3 {
                var (disk, appender) = try opened(largestRecord: limit)
                var batch = [put("a"), put("a")]
                batch.insert(put("a", #""12345""#), at: position)
                // Only the last of a batch is without `more`, which makes the others longer.
                guard position == 2 || !fits else { continue }
                let before = disk.file(name)
                do throws(EngineError) {
                    _ = try appender.append(fits ? [batch[position]] : batch)
                    #expect(fits, "limit \(limit), position \(position)")
                } catch {
                    #expect(error.code == .recordTooLarge && !fits, "limit \(limit), position \(position)")
                    #expect(disk.file(name) == before && disk.operationCount == 0)
                    #expect(appender.poison == nil && !appender.hasUnsynced)
                    #expect(try appender.append([put("b")]) == .first)
                }
            }
        }
    }

    @Test func theLastNumberOfTheFormatIsUsedAndNoneAfterIt() throws {
        var log = LogBuilder(from: SequenceNumber(SequenceNumber.highest.rawValue - 1))
        log.header(.log)
        var snapshot = LogBuilder(from: SequenceNumber(SequenceNumber.highest.rawValue - 1))
        snapshot.header(.snapshot)
        snapshot.footer()
        let disk = SimulatedDisk.holding([name: log.bytes, "snapshot-0000000001.jsonl": snapshot.bytes])
        let directory = StoreDirectory.simulated(disk)
        let file = try #require(try disk.openForWriting(directory.path(of: name)))
        let plan = try Recovery.storePlan(directory)
        var appender = LogAppender(plan, file, directory, largestRecord: 1_000, now: { 5 })
        let three = #expect(throws: EngineError.self) {
            try appender.append([put("a"), put("b"), put("c")])
        }
        #expect(three?.code == .numbersExhausted)
        #expect(try appender.append([put("a"), put("b")]).next == .highest)
        let one = #expect(throws: EngineError.self) { try appender.append([put("c")]) }
        #expect(one?.code == .numbersExhausted)
        try sync(&appender)
        #expect(try !appender.appendMark(), "No number is left for a mark.")
        #expect(try records(disk).last?.head.sequenceNumber == .highest)
    }
}
