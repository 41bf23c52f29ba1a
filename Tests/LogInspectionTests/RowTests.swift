import LogFormat
import LogInspection
import Testing

/// The table that tells a torn tail from corruption, row by row.
struct RowTests {
    private func faults(_ files: [String: FileBuilder]) throws -> [Fault] {
        try Verification.run("s", MemoryFileSystem(store: files), pause: {}).faults
    }

    private func rows(_ log: FileBuilder) throws -> [Row] {
        try faults(["log1": log]).map(\.row)
    }

    private let two = FileBuilder.log().put(1).put(2, synced: 1)

    @Test func rowAIsSound() throws {
        #expect(try rows(two) == [])
        #expect(try rows(two.raw("\n\n\n")) == [])
        #expect(
            try rows(FileBuilder.log().raw("\n\n").put(1, more: true).raw("\n").put(2).mark(3, synced: 2))
                == []
        )
    }

    @Test func rowHIsAFirstLineThatIsNoHeaderOfTheFile() throws {
        #expect(try rows(FileBuilder()) == [.header])
        #expect(try rows(FileBuilder().raw("\n\n")) == [.header])
        #expect(try rows(FileBuilder().raw("hello\n").put(1)) == [.header])
        #expect(try rows(FileBuilder().put(1).put(2)) == [.header])
        #expect(try rows(FileBuilder().footer(0)) == [.header])
        #expect(try rows(FileBuilder().line("\"format\":1}")) == [.header])
        #expect(try rows(FileBuilder.log(2)) == [.header])
        #expect(try rows(FileBuilder.snapshot(1, first: 1)) == [.header])
        #expect(try rows(FileBuilder.log(first: 2).put(2)) == [.header])
        #expect(try rows(FileBuilder().raw([0, 0, 0, 0])) == [.header])
        // Nothing in a file without a header can be a torn tail: there is no number to judge it by.
        #expect(try rows(FileBuilder().raw("hello\n").put(1).raw("torn")) == [.header, .header])
    }

    @Test func rowEIsANumberThatIsNotAboveTheLast() throws {
        #expect(try rows(two.put(2)) == [.order])
        #expect(try rows(two.put(1)) == [.order])
        // Behind invalid bytes an old line may have come to light again.
        #expect(try rows(two.raw("torn\n").put(2)) == [.torn])
    }

    @Test func rowEIsAChecksummedLineOfNoKnownShapeWhereverItStands() throws {
        let lines = [
            FileBuilder().line("\"seq\":3}"),
            FileBuilder().line("\"seq\":3,\"at\":1,\"op\":\"put\",\"id\":1,\"value\":}"),
            FileBuilder.log(), FileBuilder().footer(2), FileBuilder().line("\"format\":2,\"kind\":\"log\"}"),
            FileBuilder().put(3, synced: 3), FileBuilder().put(3, synced: 4),
            FileBuilder().line("\"seq\":3,\"op\":1}"),
        ]
        for line in lines {
            #expect(try rows(two.raw(line.bytes)) == [.order])
            #expect(try rows(two.raw(line.bytes).put(4)).first == .order)
            #expect(try rows(two.raw("torn\n").raw(line.bytes)) == [.order, .order])
        }
    }

    @Test func rowCIsALaterLineThatSaysTheLostRecordWasSynced() throws {
        #expect(try rows(two.raw("torn\n").put(4, synced: 3)) == [.covered])
        #expect(try rows(two.raw("torn\n").put(4).put(5, synced: 3)) == [.covered])
        #expect(try rows(two.raw("torn\n").put(7).raw("torn\n").mark(9, synced: 8)) == [.covered, .covered])
        // Row C stands before row D.
        #expect(try rows(two.raw("x\n").put(3).put(4, synced: 3)) == [.covered])
        // A line that is found behind NULs counts as well.
        #expect(try rows(two.raw([0, 0]).mark(4, synced: 3)) == [.covered])
        // Inside a batch the records of the batch count: 3 was stable when 4 was written.
        #expect(try rows(two.put(3, more: true).put(4, synced: 3, more: true).raw("torn\n")) == [.covered])
        #expect(try rows(two.put(3, more: true).put(4, synced: 3, more: true)) == [.covered])
    }

    @Test func rowDIsForeignBytesBetweenRecordsThatFollowEachOther() throws {
        #expect(try rows(two.raw("hello\n").put(3)) == [.foreign])
        #expect(try rows(two.put(3, more: true).raw("hello\n").put(4)) == [.foreign])
        #expect(try rows(two.raw("hello\n").raw("world\n").put(3)) == [.foreign, .foreign])
        // Later in the tail it means nothing.
        #expect(try rows(two.raw("torn\n").put(5).raw("hello\n").put(6)) == [.torn])
    }

    @Test func rowGIsAMissingNumberWithoutInvalidBytes() throws {
        #expect(try rows(two.put(4)) == [.gap])
        #expect(try rows(two.raw("\n\n").put(4).put(5, synced: 2)) == [.gap])
        #expect(try rows(two.put(4, synced: 3)) == [.covered])
        #expect(try rows(two.put(4).put(5, synced: 3)) == [.covered])
        #expect(try rows(two.put(3, more: true).put(5)) == [.gap])
        #expect(try rows(FileBuilder.log().put(2)) == [.gap])
    }

    @Test func rowBIsAnAppendCutShort() throws {
        #expect(try rows(two.raw("{\"crc\":\"00")) == [.torn])
        #expect(try rows(two.raw("{\"crc\":\"00\n")) == [.torn])
        #expect(try rows(two.raw([UInt8](repeating: 0, count: 5000))) == [.torn])
        #expect(try rows(two.raw([0, 0, 0x0A, 0, 0x0A, 0])) == [.torn])
        #expect(try rows(two.raw("torn\n").put(4).put(5, synced: 2).raw("torn")) == [.torn])
    }

    @Test func rowFIsABatchCutShort() throws {
        #expect(try rows(two.put(3, more: true)) == [.batch])
        #expect(try rows(two.put(3, more: true).put(4, more: true).raw("\n\n")) == [.batch])
        #expect(try rows(two.put(3, more: true).raw("torn")) == [.torn])
    }

    @Test func aTornTailIsCutBehindTheLastCompleteBatch() throws {
        let log = two.put(3, more: true).put(4, more: true).raw("\n").raw("torn\n").put(6)
        let fault = try #require(try faults(["log1": log]).first)
        #expect(fault.offset == UInt64(log.offset(ofLine: 4)))
        #expect(fault.line == 4)
        #expect(fault.offset + fault.length == UInt64(log.bytes.count))
    }

    @Test func beforeTheHighestLogEveryFaultIsCorruption() throws {
        for tail in [FileBuilder().raw("torn"), FileBuilder().put(3, more: true), FileBuilder().raw([0, 0])] {
            let files = ["log1": two.raw(tail.bytes), "log2": FileBuilder.log(2, first: 3).put(3)]
            #expect(try faults(files).map(\.row) == [.sealed])
        }
        let gap = ["log1": two.put(4), "log2": FileBuilder.log(2, first: 5)]
        #expect(try faults(gap).map(\.row) == [.sealed])
        // A log below a snapshot is not the highest, also when the snapshot's own log is missing.
        let missing = [
            "log1": two.raw("torn"), "snapshot2": FileBuilder.snapshot(2, first: 3).put(1).footer(1),
        ]
        #expect(try faults(missing).map(\.row) == [.sealed, .header])
    }

    @Test func everyFaultOfASnapshotIsCorruption() throws {
        let sound = FileBuilder.snapshot(2, first: 5).put(1, "a").put(3, "b", more: true).delete(4, "c")
        let log = FileBuilder.log(2, first: 5)
        #expect(try faults(["snapshot2": sound.footer(3), "log2": log]) == [])
        #expect(try faults(["snapshot2": sound.raw("\n").footer(3).raw("\n"), "log2": log]) == [])
        let cases: [(FileBuilder, [Row])] = [
            (sound, [.sealed]),
            (sound.footer(2), [.sealed]),
            (sound.raw("torn\n").footer(3), [.sealed]),
            (sound.footer(3).raw("torn"), [.sealed]),
            (sound.raw("torn"), [.sealed]),
            (sound.footer(3).footer(3), [.order]),
            (sound.footer(3).put(4), [.order]),
            (sound.mark(4, synced: 2).footer(3), [.order, .sealed]),
            (sound.put(4).footer(4), [.order]),
            (sound.put(5).footer(4), [.order]),
            (FileBuilder.snapshot(2, first: 5).put(3).put(3).footer(2), [.order]),
        ]
        for (snapshot, rows) in cases {
            let found = try faults(["snapshot2": snapshot, "log2": log])
            #expect(found.map(\.row).first == rows.first, "\(found)")
            #expect(found.allSatisfy { $0.verdict == .corruption })
        }
    }

    @Test func filesMustContinueEachOther() throws {
        let one = FileBuilder.log().put(1).put(2)
        let other = "00000000-0000-4000-8000-000000000000"
        let snapshot = FileBuilder.snapshot(2, first: 3).put(1).put(2, "b").footer(2)
        let cases: [([String: FileBuilder], [Cause])] = [
            (["log1": one, "log2": .log(2, first: 3)], []),
            (
                ["log1": one, "log2": .log(2, first: 4)],
                [.misfit(.behindLog(found: SequenceNumber(4), expected: SequenceNumber(3)))]
            ),
            (["log1": one, "log3": .log(3, first: 3)], [.missingLogs(through: 2)]),
            (["log2": .log(2, first: 3)], [.missingLogs(through: 1)]),
            (["log5": .log(5, first: 3)], [.missingLogs(through: 4)]),
            (["snapshot2": snapshot, "log2": .log(2, first: 3)], []),
            (["snapshot2": snapshot, "log1": one, "log2": .log(2, first: 3)], []),
            (["snapshot2": snapshot], [.missingLogs(through: 2)]),
            (
                ["snapshot2": snapshot, "log2": .log(2, first: 4)],
                [.misfit(.behindSnapshot(found: SequenceNumber(4), expected: SequenceNumber(3)))]
            ),
            (
                ["log1": one, "log2": .log(2, first: 3, store: other), "log3": .log(3, first: 3)],
                [.misfit(.store(found: other, others: FileBuilder.store))]
            ),
        ]
        for (files, causes) in cases {
            #expect(try faults(files).map(\.cause) == causes, "\(files.keys)")
        }
    }

    @Test func aFileOfANewerFormatIsJudgedAloneAndNothingElseIs() throws {
        let newer = FileBuilder().line("\"format\":7,\"whatever\":[1]}").raw("garbage")
        let found = try faults(["log1": FileBuilder().raw("broken"), "log2": newer])
        #expect(found.map(\.row) == [.newer])
        #expect(found.map(\.cause) == [.newerFormat(7)])
        let tool = Tool(fileSystem: MemoryFileSystem(store: ["log1": newer]))
        #expect(tool("ls", "s").code == 3)
        #expect(tool("ls", "s").output.isEmpty)
    }

    @Test func faultsBelowTheBaseAreReportedAllTheSame() throws {
        let files = [
            "log1": FileBuilder.log().put(1).raw("x\n").put(2),
            "snapshot2": FileBuilder.snapshot(2, first: 3).put(1).put(2, "b").footer(2),
            "log2": FileBuilder.log(2, first: 3),
        ]
        let found = try faults(files)
        #expect(found.map(\.row) == [.sealed])
        #expect(found.first?.remedy == .unneeded)
    }

    /// Symptom: verify called a store beyond opening that opens: a log below the base had lost its end.
    /// Cause: the fault was reported at the header of the base's log, which was called damaged.
    /// Must stay true: a log that its own snapshot vouches for is not blamed for the one before it.
    @Test func aLogBelowTheBaseThatLostItsEndIsTheOneThatIsReported() throws {
        let files = [
            "log1": FileBuilder.log().put(1),
            "snapshot2": FileBuilder.snapshot(2, first: 3).put(1).put(2, "b").footer(2),
            "log2": FileBuilder.log(2, first: 3),
        ]
        let found = try faults(files)
        #expect(found.map(\.file.description) == ["log-0000000001.jsonl"])
        #expect(
            found.map(\.cause) == [
                .misfit(.beforeLog(begins: SequenceNumber(3), expected: SequenceNumber(2)))
            ]
        )
        #expect(found.first?.remedy == .unneeded)
    }

    /// Symptom: verify called a store beyond opening whose snapshot opening rebuilds.
    /// Cause: the snapshot began with the header of another file, and the log was held against that.
    /// Must stay true: a header that is not the file's own says nothing about the other files.
    @Test func aForeignHeaderInASnapshotIsNoFaultOfItsLog() throws {
        let files = [
            "log1": FileBuilder.log().put(1),
            "snapshot2": FileBuilder.log().put(1).footer(1),
            "log2": FileBuilder.log(2, first: 2),
        ]
        let found = try faults(files)
        #expect(found.allSatisfy { $0.file.kind == .snapshot }, "\(found)")
        #expect(found.allSatisfy { $0.remedy == .rebuild(from: 1) }, "\(found)")
        #expect(!found.isEmpty)
    }

    @Test func aFileFullOfFaultsIsReportedInBoundedMemory() throws {
        var log = two.bytes
        for number in 0..<5000 { log += Array("bad \(number)\n".utf8) }
        let found = try faults(["log1": two.raw(Array(log.dropFirst(two.bytes.count))).mark(4, synced: 3)])
        #expect(found.count == 1000)
        #expect(found.last?.unlisted == 4000)
        #expect(found.allSatisfy { $0.row == .covered })
    }
}
