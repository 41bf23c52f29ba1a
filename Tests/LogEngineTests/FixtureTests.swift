import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

@Suite struct FixtureTests {
    private func expectedState(_ fixture: Fixture) -> (state: [String: JSON], last: UInt64)? {
        if let opens = fixture.expected.opens { return (opens.state, opens.lastSeq) }
        guard let state = fixture.expected.state, let last = fixture.expected.lastSeq else { return nil }
        return (state, last)
    }

    private func state(_ plan: StorePlan, _ directory: StoreDirectory) throws -> [String: JSON] {
        try plan.moment(in: directory).state.mapValues { try JSON($0) }
    }

    private func effects(_ directory: StoreDirectory) -> RecoveryEffects {
        RecoveryEffects(directory, fileMode: .privateFile, directoryMode: .privateDirectory, time: 7)
    }

    @Test func everyFixtureIsListed() throws {
        let names = try #require(try POSIXFileSystem().names(in: Fixture.folder))
        #expect(try Fixture.all().map(\.name) == names.filter { $0 != "expected.json" }.sorted())
    }

    @Test func everyFixtureGivesItsVerdictItsPlaceAndItsState() throws {
        for fixture in try Fixture.all() {
            let directory = StoreDirectory.simulated(try fixture.disk())
            try expectVerdict(fixture, directory)
        }
    }

    @Test func everyFixtureGivesTheSameFromARealFileSystem() throws {
        for fixture in try Fixture.all() {
            let temporary = try TemporaryDirectory()
            let path = "\(temporary.path)/store.wal"
            try fixture.disk().save("/d/store.wal", to: path, of: POSIXFileSystem())
            let directory = StoreDirectory(path: path, fileSystem: POSIXFileSystem())
            try expectVerdict(fixture, directory)
            if expectedState(fixture) != nil { try expectRecovery(fixture, directory) }
        }
    }

    private func expectVerdict(_ fixture: Fixture, _ directory: StoreDirectory) throws {
        let expected = fixture.expected
        do {
            let plan = try Recovery.storePlan(directory)
            let found = plan.rebuild != nil ? "corruption" : plan.tornTail == nil ? "sound" : "tornTail"
            #expect(found == expected.verdict, "\(fixture)")
            #expect(plan.tornTail?.range.lowerBound == expected.cut, "\(fixture)")
            try expectState(fixture, plan, directory)
        } catch let error as EngineError {
            #expect("\(error.code)" == expected.verdict, "\(fixture): \(error.message)")
            #expect(expectedState(fixture) == nil, "\(fixture) is to open")
            if let offset = expected.offset { #expect(error.corruption?.offset == offset, "\(fixture)") }
            if let line = expected.line { #expect(error.corruption?.line == line, "\(fixture)") }
        }
    }

    private func expectState(_ fixture: Fixture, _ plan: StorePlan, _ directory: StoreDirectory) throws {
        let expected = try #require(expectedState(fixture), "\(fixture) is to be refused")
        #expect(plan.lastSequenceNumber.rawValue == expected.last, "\(fixture)")
        #expect(try state(plan, directory) == expected.state, "\(fixture)")
    }

    @Test func everyFixtureThatOpensKeepsWhatItCutsAndIsSoundAfterwards() throws {
        for fixture in try Fixture.all() where expectedState(fixture) != nil {
            try expectRecovery(fixture, .simulated(try fixture.disk()))
        }
    }

    /// Carries the plan out, then looks at what is in quarantine and opens again.
    private func expectRecovery(_ fixture: Fixture, _ directory: StoreDirectory) throws {
        let plan = try Recovery.storePlan(directory)
        var kept: [String: [UInt8]] = [:]
        if let cut = plan.tornTail, !cut.isBlank {
            kept[plan.highestLog.name] = try bytes(directory, plan.highestLog.name, cut.range)
        }
        if let rebuild = plan.rebuild {
            let name = StoreDirectory.snapshotName(rebuild.generation)
            kept[name] = try bytes(directory, name)
        }
        let outcome = try effects(directory).perform(plan)
        #expect(Set(outcome.quarantined.map(\.file)) == Set(kept.keys), "\(fixture)")
        for quarantined in outcome.quarantined {
            let base = "\(quarantined.file).\(quarantined.offset).1"
            let copy = try bytes(directory, "quarantine/\(base).bytes")
            #expect(copy == kept[quarantined.file], "\(fixture)")
            let note = try QuarantineNote(try bytes(directory, "quarantine/\(base).json"))
            #expect(note.file == quarantined.file && note.offset == quarantined.offset, "\(fixture)")
            #expect(note.length == UInt64(copy.count) && note.time == 7, "\(fixture)")
            #expect(note.reason == quarantined.reason && !note.reason.isEmpty, "\(fixture)")
            #expect(quarantined.path == "\(directory.quarantinePath)/\(base).bytes", "\(fixture)")
        }
        let names = try directory.fileSystem.names(in: directory.quarantinePath)
        #expect((names?.count ?? 0) == kept.count * 2, "\(fixture)")

        let again = try Recovery.storePlan(directory)
        #expect(again.cut == nil && again.rebuild == nil, "\(fixture)")
        try expectState(fixture, again, directory)
        #expect(try outcome.log.length() == again.highestLog.length, "\(fixture)")
        let listing = try #require(try directory.listing())
        #expect(listing.temporaries.isEmpty, "\(fixture)")
    }

    private func bytes(_ directory: StoreDirectory, _ name: String, _ range: Range<UInt64>? = nil) throws
        -> [UInt8]
    {
        let path = directory.path(of: name)
        let file = try #require(try directory.fileSystem.openForReading(path))
        return try file.bytes(in: range ?? 0..<file.length(), path: path)
    }

    @Test func everyRefusedFixtureStaysAsItIsByteForByte() throws {
        for fixture in try Fixture.all() where expectedState(fixture) == nil {
            let disk = try fixture.disk()
            let before = disk.files
            #expect(try StoreDirectory.simulated(disk).refusal() != nil, "\(fixture)")
            #expect(throws: EngineError.self, "\(fixture)") { try EngineStore.open(.simulated(disk)) }
            var after = disk.files
            after["/d/store.wal/lock"] = nil
            #expect(after == before, "\(fixture)")
            #expect(disk.operationCount == 0, "\(fixture): \(disk.trace)")
        }
    }

    @Test func theRebuiltSnapshotIsLegalByteForByteAndOpensWithoutTheGenerationBefore() throws {
        let fixture = try #require(try Fixture.all().first { $0.name.hasPrefix("36") })
        let disk = try fixture.disk()
        let directory = StoreDirectory.simulated(disk)
        let damaged = try #require(disk.file("snapshot-0000000002.jsonl"))
        let log = try #require(disk.file("log-0000000001.jsonl"))
        let plan = try Recovery.storePlan(directory)
        _ = try effects(directory).perform(plan)

        let rebuilt = try #require(disk.file("snapshot-0000000002.jsonl"))
        let lines = log.split(separator: 0x0A).dropFirst().map { $0 + [0x0A] }
        var footer = LogBuilder()
        footer.footer(records: 3)
        let header = ByteFile(rebuilt).items().first
        guard case .header(let found)? = header?.content else {
            Issue.record("The rebuilt snapshot has no header.")
            return
        }
        #expect(found.kind == .snapshot && found.generation == 2 && found.store == LogBuilder.store)
        #expect(found.firstSequenceNumber == SequenceNumber(4) && found.deletesSince == SequenceNumber(4))
        let start = Int(header?.place.length ?? 0)
        #expect(Array(rebuilt[start...]) == lines.flatMap { $0 } + footer.bytes)
        #expect(disk.file("quarantine/snapshot-0000000002.jsonl.0.1.bytes") == damaged)

        disk.removeContents("/d/store.wal/log-0000000001.jsonl")
        let alone = try Recovery.storePlan(directory)
        #expect(alone.rebuild == nil && alone.cut == nil)
        try expectState(fixture, alone, directory)
    }
}

extension StorePlan {
    /// The cut, unless it is padding that a sound log has at its end.
    var tornTail: Cut? { cut?.reason == "padding" ? nil : cut }
}
