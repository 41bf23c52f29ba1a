import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// Each of these was a store that salvage saved in part, or wrongly.
@Suite("Salvage: what once went wrong")
struct SalvageRegressionTests {
    /// The files of a store on a disk, what salvage says of it, and the new store.
    struct Saved {
        var report: SalvageReport
        var state: [String: String]
        var lastSequenceNumber: UInt64

        init(_ files: [String: LogBuilder]) throws {
            let disk = SimulatedDisk.holding(files.mapValues(\.bytes))
            let before = disk.files
            var salvage = try Salvage(of: StoreDirectory.simulated(disk))
            let target = StoreDirectory(path: "/out", fileSystem: disk)
            report = try salvage.write(
                to: target,
                store: "00000000-0000-4000-8000-000000000000",
                fileMode: .privateFile,
                directoryMode: .privateDirectory
            )
            #expect(before.allSatisfy { disk.contents(of: $0.key) == $0.value })
            let moment = try Recovery.storePlan(target).moment(in: target)
            state = moment.state
            lastSequenceNumber = moment.number
        }

        /// The ids that were saved, without their quotes.
        var ids: [String] { state.keys.map { String($0.dropFirst().dropLast()) }.sorted() }
        var faults: [String] { report.faults.map { "\($0.file): \($0.reason)" } }
    }

    private static func log(_ generation: UInt64, _ first: UInt64) -> LogBuilder {
        var log = LogBuilder()
        log.header(.log, generation: generation, firstSequenceNumber: SequenceNumber(first))
        return log
    }

    private static func snapshot(_ generation: UInt64, _ first: UInt64) -> LogBuilder {
        var snapshot = LogBuilder()
        snapshot.header(.snapshot, generation: generation, firstSequenceNumber: SequenceNumber(first))
        snapshot.nextSequenceNumber = .first
        return snapshot
    }

    private static func name(_ kind: String, _ generation: Int) -> String {
        "\(kind)-000000000\(generation).jsonl"
    }

    /// Symptom: half of log 1 was left out as a torn tail. Cause: the place where the highest log is cut
    /// was taken for that of every log. Only the highest log has a torn tail.
    @Test("The torn tail of the highest log takes nothing from the logs before it")
    func tailOfAnotherLog() throws {
        var first = Self.log(1, 1)
        for index in 1...8 { first.put("a\(index)", "\(index)") }
        var second = Self.log(2, 9)
        second.put("b", "9")
        second.raw("{\"crc\":\"12")
        let saved = try Saved([Self.name("log", 1): first, Self.name("log", 2): second])
        #expect(saved.ids == (1...8).map { "a\($0)" } + ["b"])
        #expect(saved.report.leftOut.isEmpty && saved.report.faults.count == 1)
    }

    /// Symptom: the new store was refused. Cause: a line that says of a later record that it was synced
    /// is corruption wherever it stands, and it was copied.
    @Test("A record that says a later one was synced is left out and listed")
    func aheadOfItself() throws {
        var log = Self.log(1, 1)
        log.put("a", "1")
        log.put("b", "2", synced: SequenceNumber(9_007_199_254_740_991))
        log.put("c", "3", synced: SequenceNumber(2))
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.ids == ["a", "c"])
        #expect(saved.report.leftOut.map(\.reason) == [.misplaced])
        #expect(saved.report.missing == [2...2])
        #expect(saved.lastSequenceNumber == 3)
    }

    /// Symptom: marks, records behind a footer and records out of order in a snapshot were kept, or listed
    /// for a wrong reason. Each is corruption by its place.
    @Test("What may not stand in a snapshot is left out and listed")
    func placesInSnapshot() throws {
        var snapshot = Self.snapshot(1, 9)
        snapshot.put("a", "1", number: SequenceNumber(2))
        snapshot.put("late", "1", number: SequenceNumber(1))
        snapshot.put("same", "1", number: SequenceNumber(2))
        snapshot.put("above", "1", number: SequenceNumber(9))
        snapshot.mark(number: SequenceNumber(5))
        snapshot.put("b", "1", number: SequenceNumber(6))
        snapshot.footer(records: 2)
        snapshot.put("behind", "1", number: SequenceNumber(7))
        snapshot.footer(records: 2)
        let saved = try Saved([Self.name("snapshot", 1): snapshot, Self.name("log", 1): Self.log(1, 9)])
        #expect(saved.ids == ["a", "b"])
        #expect(
            saved.report.leftOut.map(\.reason)
                == [.outOfOrder, .outOfOrder, .outOfOrder, .misplaced, .misplaced]
        )
        #expect(saved.faults == ["snapshot-0000000001.jsonl: a second footer stands in the file"])
    }

    /// Symptom: every record of a log was left out as out of order. Cause: the number in its header was
    /// believed, though it did not fit the records. A header that does not fit is made anew.
    @Test("A header with a number that is too high costs no record")
    func headerAboveItsRecords() throws {
        var first = Self.log(1, 1)
        first.put("a", "1")
        first.put("b", "2")
        var second = Self.log(2, 100)
        second.nextSequenceNumber = SequenceNumber(3)
        second.put("c", "3")
        second.put("d", "4")
        let saved = try Saved([Self.name("log", 1): first, Self.name("log", 2): second])
        #expect(saved.ids == ["a", "b", "c", "d"])
        #expect(saved.report.leftOut.isEmpty)
        #expect(saved.report.firstSequenceNumber == SequenceNumber(100))
    }

    /// Symptom: nothing was said of the records that were lost. Cause: the first log's header and the
    /// header of a damaged snapshot were taken for the beginning of the history.
    @Test("Records lost before the first log, or before a damaged snapshot, are listed as missing")
    func lostBeginning() throws {
        var third = Self.log(3, 6)
        third.put("a", "1")
        #expect(try Saved([Self.name("log", 3): third]).report.missing == [1...5])

        var first = Self.log(1, 1)
        first.put("b", "1")
        var snapshot = Self.snapshot(2, 4)
        snapshot.put("c", "2", number: SequenceNumber(3))
        snapshot.raw("damage\n")
        var second = Self.log(2, 4)
        second.put("d", "4")
        let saved = try Saved([
            Self.name("log", 1): first, Self.name("snapshot", 2): snapshot, Self.name("log", 2): second,
        ])
        #expect(saved.ids == ["b", "c", "d"])
        #expect(saved.report.missing == [2...2])
    }

    /// Symptom: the new store was refused. Cause: a damaged snapshot and a log gave one number to two
    /// records, and both were written.
    @Test("Of two records with one number the log's is kept and the other is listed")
    func sameNumber() throws {
        var first = Self.log(1, 1)
        first.put("a", "1")
        first.put("b", "2")
        var snapshot = Self.snapshot(2, 3)
        snapshot.put("x", "1")
        snapshot.put("b", "2")
        snapshot.raw("damage\n")
        // Log 3 is missing, so nothing is rebuilt.
        let saved = try Saved([
            Self.name("log", 1): first, Self.name("snapshot", 2): snapshot,
            Self.name("log", 2): Self.log(2, 3), Self.name("log", 4): Self.log(4, 3),
        ])
        #expect(saved.ids == ["a", "b"])
        #expect(saved.report.leftOut.map(\.id) == [CanonicalID("x")])
        #expect(saved.report.liveRecords == 2)
    }

    /// Symptom: only the records of another store were saved. Cause: its sound snapshot had the highest
    /// generation, and whatever file came first said which store it is. Most files tell.
    @Test("A sound snapshot of another store does not take the place of the store")
    func foreignSnapshot() throws {
        var first = Self.log(1, 1)
        first.put("a", "1")
        first.put("b", "2")
        var second = Self.log(2, 3)
        second.put("c", "3")
        var foreign = LogBuilder()
        foreign.header(
            .snapshot,
            store: "ffffffff-9d47-4a6b-8e21-5c0d9a7b6f14",
            generation: 5,
            firstSequenceNumber: SequenceNumber(50)
        )
        foreign.put("foreign", "0", number: SequenceNumber(9))
        foreign.footer()
        let saved = try Saved([
            Self.name("log", 1): first, Self.name("log", 2): second, Self.name("snapshot", 5): foreign,
        ])
        #expect(saved.ids == ["a", "b", "c"])
        #expect(saved.report.faults.map(\.file) == ["snapshot-0000000005.jsonl"])
        #expect(saved.report.missing.isEmpty)
    }

    /// Symptom: the report said that all was saved. Cause: a log that is not there has no bytes that could
    /// be damaged, and its numbers follow from nothing when it was the last.
    @Test("A log that is missing is a fault, the last one too")
    func missingLog() throws {
        var snapshot = Self.snapshot(2, 3)
        snapshot.put("a", "1")
        snapshot.footer()
        let last = try Saved([Self.name("snapshot", 2): snapshot])
        #expect(last.faults == ["log-0000000002.jsonl: the file is missing"])
        #expect(last.ids == ["a"] && !last.report.isComplete)

        var first = Self.log(1, 1)
        first.put("a", "1")
        let between = try Saved([Self.name("log", 1): first, Self.name("log", 4): Self.log(4, 9)])
        #expect(between.faults == ["log-0000000002.jsonl: the logs of generations 2 to 3 are missing"])
        #expect(between.report.missing == [2...8])
    }

    /// Symptom: the report said that all was saved. Cause: a snapshot that ends before its footer and an
    /// empty file have no line that could be damaged.
    @Test("A snapshot without its footer and a file without a line are faults")
    func nothingBehind() throws {
        var snapshot = Self.snapshot(2, 3)
        snapshot.put("a", "1")
        let saved = try Saved([
            Self.name("snapshot", 2): snapshot, Self.name("log", 2): Self.log(2, 3),
        ])
        #expect(
            saved.faults == [
                "snapshot-0000000002.jsonl: the snapshot has no footer, so records may be missing at its end"
            ]
        )
        var log = Self.log(1, 1)
        log.put("a", "1")
        let empty = try Saved([Self.name("log", 1): log, Self.name("log", 2): LogBuilder()])
        #expect(empty.faults == ["log-0000000002.jsonl: the file has no line"])
        #expect(empty.ids == ["a"])
    }

    /// Symptom: the new store had a header that no reader takes, or no number left to go on with. Cause:
    /// the number behind 2^53 - 1, and a number that only stood in what looked like a record in a value.
    @Test("Whatever numbers are seen, the new store opens and goes on")
    func highestNumbers() throws {
        var last = Self.log(1, 1)
        last.put("a", "1")
        last.put("z", "9", number: .highest)
        let saved = try Saved([Self.name("log", 1): last])
        #expect(saved.ids == ["a"])
        #expect(saved.report.leftOut.map(\.id) == [CanonicalID("z")])

        var inside = Self.log(1, 1)
        inside.put("a", "1")
        var forged = LogBuilder()
        forged.put("forged", "0", number: SequenceNumber(1 << 50))
        inside.raw(Array("{\"crc\":\"00000000\",\"seq\":2,\"value\":".utf8) + forged.bytes)
        inside.put("b", "3", number: SequenceNumber(3), synced: SequenceNumber(2))
        let next = try Saved([Self.name("log", 1): inside])
        #expect(next.ids == ["a", "b"])
        #expect(next.report.leftOut.map(\.reason) == [.insideDamagedLine])
        #expect(next.report.missing == [2...2])
        #expect(next.report.firstSequenceNumber == SequenceNumber(4))
    }

    /// Symptom: the new store was named by eleven digits, and no reader found it.
    @Test("A store with the highest generation is saved under a name that is read")
    func highestGeneration() throws {
        var snapshot = Self.snapshot(9_999_999_999, 3)
        snapshot.put("a", "1")
        let name = "-9999999999.jsonl"
        let saved = try Saved(["snapshot" + name: snapshot, "log" + name: Self.log(9_999_999_999, 3)])
        #expect(saved.ids == ["a"])
    }

    /// Symptom: records that nobody was promised were listed as missing, each a second time.
    @Test("The numbers in a torn tail are left out, not missing")
    func numbersInTornTail() throws {
        var log = Self.log(1, 1)
        log.put("a", "1")
        log.raw("{\"crc\":\"12")
        log.put("c", "3", number: SequenceNumber(3))
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.report.leftOut.map(\.reason) == [.tornTail])
        #expect(saved.report.missing.isEmpty)
        #expect(saved.report.firstSequenceNumber == SequenceNumber(4))
    }

    /// Symptom: a large file of damaged lines filled the memory with a report of each.
    @Test("A report lists so many findings and counts the rest")
    func manyFaults() throws {
        var log = Self.log(1, 1)
        log.put("a", "1")
        log.raw([UInt8](repeating: UInt8(ascii: "x"), count: 100_100).flatMap { [$0, 0x0A] })
        log.put("b", "2", synced: SequenceNumber(1))
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.ids == ["a", "b"])
        #expect(saved.report.faults.count == 100_000 && saved.report.unlisted == 100)
    }

    /// Symptom: a damaged snapshot that opening would rebuild was passed over in silence.
    @Test("A damaged snapshot that the generation before stands in for is reported")
    func rebuilt() throws {
        var first = Self.log(1, 1)
        first.put("a", "1")
        var snapshot = Self.snapshot(2, 2)
        snapshot.raw("damage\n")
        let saved = try Saved([
            Self.name("log", 1): first, Self.name("snapshot", 2): snapshot,
            Self.name("log", 2): Self.log(2, 2),
        ])
        #expect(saved.report.rebuilt?.file == "snapshot-0000000002.jsonl")
        #expect(saved.ids == ["a"] && saved.report.isComplete)
    }

    /// Symptom: all records behind a stray line were left out. Cause: the first number that rose was
    /// believed, however far it lay ahead. The reading that keeps the most records counts.
    @Test("A stray line with a high number costs itself, not what stands behind it")
    func strayLines() throws {
        var log = Self.log(1, 1)
        log.put("a", "1")
        log.put("b", "2")
        log.put("stray", "0", number: SequenceNumber(100))
        for number in 3...6 as ClosedRange<UInt64> {
            log.put("c\(number)", "1", number: SequenceNumber(number), synced: SequenceNumber(number - 1))
        }
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.ids == ["a", "b", "c3", "c4", "c5", "c6"])
        #expect(saved.report.leftOut.map(\.id) == [CanonicalID("stray")])
        #expect(saved.report.missing.isEmpty)
        #expect(saved.report.firstSequenceNumber == SequenceNumber(101))
    }

    /// The same, where the stray lines end one log and cost the whole of the next.
    @Test("Stray lines at the end of a log cost nothing of the next one")
    func strayLinesBefore() throws {
        var first = Self.log(1, 1)
        first.put("a", "1")
        first.put("x", "0", number: SequenceNumber(50))
        first.put("y", "0", number: SequenceNumber(51))
        var second = Self.log(2, 2)
        for index in 2...5 { second.put("b\(index)", "1") }
        let saved = try Saved([Self.name("log", 1): first, Self.name("log", 2): second])
        #expect(saved.ids == ["a", "b2", "b3", "b4", "b5"])
        #expect(saved.report.leftOut.map(\.reason) == [.outOfOrder, .outOfOrder])
    }

    /// A piece of the log in a wrong place, as a misdirected write leaves it: what it repeats is listed.
    @Test("Of records that stand twice each is kept once")
    func repeatedRun() throws {
        var log = Self.log(1, 1)
        for number in [1, 2, 3, 7, 8, 4, 5, 6, 7, 8, 9] as [UInt64] {
            log.put("id\(number)", "1", number: SequenceNumber(number), synced: SequenceNumber(number - 1))
        }
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.ids == (1...9).map { "id\($0)" })
        #expect(saved.report.leftOut.map(\.sequenceNumber.rawValue) == [7, 8])
    }

    /// Two damaged snapshots that gave one number to two records: the newer file's counts.
    @Test("Of two records of snapshots with one number the newer file's is kept")
    func sameNumberInSnapshots() throws {
        var older = Self.snapshot(2, 4)
        older.put("a", "1", number: SequenceNumber(2))
        older.put("b", "1", number: SequenceNumber(3))
        var newer = Self.snapshot(3, 4)
        newer.put("c", "1", number: SequenceNumber(3))
        let saved = try Saved([
            Self.name("snapshot", 2): older, Self.name("log", 2): Self.log(2, 4),
            Self.name("snapshot", 3): newer, Self.name("log", 3): Self.log(3, 4),
        ])
        #expect(saved.ids == ["a", "c"])
        #expect(saved.report.leftOut.map(\.id) == [CanonicalID("b")])
        #expect(saved.report.leftOut.map(\.reason) == [.outOfOrder])
    }

    /// Symptom: the record of an older, damaged snapshot was kept, and not the log's. Cause: of two records of
    /// one id with one number the first that was read counted. It is the log's, as with two ids.
    @Test("Of two records of one id with one number the log's is kept")
    func sameNumberAndID() throws {
        // Without its header, which would not allow it these numbers.
        var older = LogBuilder()
        older.put("a", "\"older\"", number: SequenceNumber(2))
        older.delete("b", number: SequenceNumber(4))
        var log = Self.log(1, 3)
        log.put("c", "1", number: SequenceNumber(3))
        log.put("b", "\"log\"", number: SequenceNumber(4))
        var newer = Self.snapshot(3, 5)
        newer.put("a", "\"newer\"", number: SequenceNumber(2))
        newer.put("b", "\"newer\"", number: SequenceNumber(4))
        newer.raw("damage\n")
        let saved = try Saved([
            Self.name("snapshot", 1): older, Self.name("log", 1): log,
            Self.name("snapshot", 3): newer, Self.name("log", 3): Self.log(3, 5),
        ])
        #expect(saved.state == ["\"a\"": "\"newer\"", "\"b\"": "\"log\"", "\"c\"": "1"])
    }

    /// A damaged line can hold what looks like a record, in a log and in a snapshot. It is listed, and its
    /// number counts as given away only where so few bytes can have come to it.
    @Test("A record within a damaged line is listed, and no number that it cannot have is used up")
    func impossibleNumber() throws {
        var inner = LogBuilder()
        let near = inner.put("near", "1", number: SequenceNumber(5))
        let far = inner.put("far", "1", number: SequenceNumber(9_000_000))
        func damaged(_ range: Range<Int>) -> String {
            "damage " + String(decoding: inner.bytes[range], as: UTF8.self)
        }
        var snapshot = Self.snapshot(2, 3)
        snapshot.put("a", "1", number: SequenceNumber(1))
        snapshot.raw(damaged(near))
        var log = Self.log(2, 3)
        log.raw(damaged(far))
        log.put("b", "1", number: SequenceNumber(3))
        log.put("c", "1", number: SequenceNumber(4), synced: SequenceNumber(3))
        let saved = try Saved([Self.name("snapshot", 2): snapshot, Self.name("log", 2): log])
        #expect(saved.ids == ["a", "b", "c"])
        #expect(saved.report.leftOut.map(\.reason) == [.insideDamagedLine, .insideDamagedLine])
        #expect(saved.report.firstSequenceNumber == SequenceNumber(6))
    }

    /// A damaged line that is longer than what is read at once comes in pieces.
    @Test("A damaged line is one fault, however long it is")
    func longDamagedLine() throws {
        var log = Self.log(1, 1)
        log.put("a", "1")
        let line = log.raw(String(repeating: "damage ", count: 150_000) + "\n")
        log.put("b", "1", synced: SequenceNumber(1))
        let saved = try Saved([Self.name("log", 1): log])
        #expect(saved.ids == ["a", "b"])
        #expect(saved.report.faults.map(\.offset) == [UInt64(line.lowerBound)])
        #expect(saved.report.faults.map(\.length) == [UInt64(line.count)])
    }
}
