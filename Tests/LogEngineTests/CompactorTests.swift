import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

@Suite struct CompactorTests {
    /// A store of several generations with a random history, and what its snapshots keep.
    private struct Source {
        var disk: SimulatedDisk
        var plan: StorePlan
        var moment: Moment
        var generation: UInt64
        var records: [ByteFile.CopiedRecord]

        var directory: StoreDirectory { .simulated(disk) }
    }

    /// The last record of each id in a set of files.
    private func newest(_ records: [ByteFile.CopiedRecord]) -> [[UInt8]: ByteFile.CopiedRecord] {
        Dictionary(records.filter { $0.operation != .mark }.map { ($0.id, $0) }) { $1 }
    }

    private func header(_ generation: UInt64, _ plan: StorePlan, deletesSince: UInt64) -> FileHeader {
        FileHeader(
            kind: .snapshot,
            store: LogBuilder.store,
            generation: generation,
            firstSequenceNumber: plan.lastSequenceNumber.next,
            deletesSince: SequenceNumber(deletesSince),
            time: plan.lastTime
        )
    }

    /// Logs of a random history; the first of them sometimes merged into a snapshot already.
    private func source(_ random: inout SeededGenerator) throws -> Source {
        let disk = SimulatedDisk()
        let directory = StoreDirectory.simulated(disk)
        var moment = Moment.beginning
        var records: [ByteFile.CopiedRecord] = []
        let generations = UInt64(1 + random.below(4))
        for generation in 1...generations {
            let log = log(generation, &moment, &random)
            records += ByteFile(log.bytes).items().records
            disk.setContents("/d/store.wal/\(StoreDirectory.logName(generation))", log.bytes)
            if generation < generations, random.oneIn(2) {
                // The log that continues the snapshot has to be there when it is planned.
                let plan = try Recovery.storePlan(directory)
                let merged = header(generation + 1, plan, deletesSince: moment.number + 1)
                _ = try Compactor(directory, mode: .privateFile).merge(plan.files, into: merged)
                records = newest(records).values.filter { $0.operation == .put }
            }
        }
        let plan = try Recovery.storePlan(directory)
        #expect(try plan.moment(in: directory) == moment)
        return Source(disk: disk, plan: plan, moment: moment, generation: generations + 1, records: records)
    }

    private func log(
        _ generation: UInt64,
        _ moment: inout Moment,
        _ random: inout SeededGenerator
    ) -> LogBuilder {
        var log = LogBuilder()
        log.header(generation: generation, firstSequenceNumber: SequenceNumber(moment.number + 1))
        for step in 0..<random.below(12) {
            var changes: [Change] = []
            for _ in 0...random.below(3) {
                let id = "\(random.below(8))"
                changes.append(random.oneIn(3) ? .delete(id) : .put(id, "\(generation)\(step)"))
            }
            if random.oneIn(6) {
                log.mark(synced: SequenceNumber(moment.number))
                moment.number += 1
            }
            for (index, change) in changes.enumerated() {
                let more = index < changes.count - 1
                if let value = change.value {
                    log.put(change.id, value, more: more)
                } else {
                    log.delete(change.id, more: more)
                }
            }
            moment = moment.after(changes)
            if random.oneIn(4) { log.padding(random.below(9)) }
        }
        return log
    }

    @Test func everyMergedSnapshotHoldsTheStateAndTheDeletesOfItsSources() throws {
        for seed in Effort.seeds(200, release: 5_000, full: 200_000) {
            var random = SeededGenerator(seed: seed)
            let source = try source(&random)
            let disk = source.disk
            // A snapshot tells of deletes from where its base does.
            let known = source.plan.deletesSince.rawValue
            let since = known + UInt64(random.below(Int(source.moment.number + 2 - known)))
            let header = header(source.generation, source.plan, deletesSince: since)
            let files = disk.files
            _ = try Compactor(source.directory, mode: .privateFile).merge(source.plan.files, into: header)

            let name = StoreDirectory.snapshotName(source.generation)
            let merged = ByteFile(try #require(disk.file(name))).items()
            #expect(merged.first?.content == .header(header), "seed \(seed)")
            let expected = newest(source.records).values.filter {
                $0.operation == .put || $0.head.sequenceNumber.rawValue >= since
            }.sorted { $0.head.sequenceNumber < $1.head.sequenceNumber }
            #expect(merged.records.map(\.line) == expected.map(\.line), "seed \(seed)")
            let footer = SnapshotFooter(records: UInt64(expected.count))
            #expect(merged.last?.content == .footer(footer), "seed \(seed)")

            var left = disk.files
            left["/d/store.wal/\(name)"] = nil
            #expect(left == files, "seed \(seed): nothing else was touched")
            try expectPlan(source, seed: seed)
        }
    }

    /// The snapshot and the log that continues it, alone.
    private func expectPlan(_ source: Source, seed: UInt64) throws {
        let disk = source.disk.afterPowerCut(.nothingUnsynced)
        for name in disk.sortedNames(in: "/d/store.wal")
        where name != StoreDirectory.snapshotName(source.generation) {
            disk.removeContents("/d/store.wal/\(name)")
        }
        var log = LogBuilder()
        let first = SequenceNumber(source.moment.number + 1)
        log.header(generation: source.generation, firstSequenceNumber: first)
        disk.setContents("/d/store.wal/\(StoreDirectory.logName(source.generation))", log.bytes)
        let directory = StoreDirectory.simulated(disk)
        let plan = try Recovery.storePlan(directory)
        #expect(try plan.moment(in: directory) == source.moment, "seed \(seed)")
        #expect(plan.cut == nil && plan.rebuild == nil, "seed \(seed)")
    }

    @Test func everyDamageInASourceAbortsAndLeavesNoFile() throws {
        for seed in Effort.seeds(200, release: 5_000, full: 200_000) {
            var random = SeededGenerator(seed: seed)
            let source = try source(&random)
            let disk = source.disk
            let victim = source.plan.files[random.below(source.plan.files.count)]
            let path = "/d/store.wal/\(victim.name)"
            var bytes = try #require(disk.contents(of: path))
            // What stands behind the bytes that count is not looked at.
            let place = random.below(Int(victim.length))
            let isCut = random.oneIn(3)
            if isCut { bytes.removeSubrange(place...) } else { bytes[place] ^= 1 << UInt8(random.below(8)) }
            disk.setContents(path, bytes)
            let before = disk.files
            let header = header(source.generation, source.plan, deletesSince: source.moment.number + 1)
            let error = #expect(throws: EngineError.self, "seed \(seed), \(victim.name) at \(place)") {
                _ = try Compactor(source.directory, mode: .privateFile).merge(source.plan.files, into: header)
            }
            #expect(error?.code == (isCut ? .io : .corruption), "seed \(seed), \(victim.name) at \(place)")
            #expect(disk.files == before, "seed \(seed), \(victim.name) at \(place)")
            #expect(disk.openFileCount == 0, "seed \(seed)")
        }
    }

    @Test func everyCallThatFailsWhileMergingLeavesTheStoreAndNoTemporaryFile() throws {
        var random = SeededGenerator(seed: 3)
        let source = try source(&random)
        let header = header(source.generation, source.plan, deletesSince: source.moment.number + 1)
        let start = source.disk
        let counting = start.copy()
        let first = counting.callCount
        _ = try Compactor(.simulated(counting), mode: .privateFile).merge(source.plan.files, into: header)
        for call in first..<counting.callCount {
            for effect in [Fault.Effect.nothing, .short(30), .done] {
                let disk = start.copy()
                disk.fail(.call(call), code: 28, effect: effect)
                let error = #expect(throws: EngineError.self, "call \(call), \(effect)") {
                    try Compactor(.simulated(disk), mode: .privateFile)
                        .merge(source.plan.files, into: header)
                }
                #expect(error?.cause?.code == 28)
                let names = disk.sortedNames(in: "/d/store.wal")
                // The sync of the directory is the one failure behind the rename.
                let isNamed = names.contains(StoreDirectory.snapshotName(source.generation))
                // A file that is made while its making fails is the next opening's to remove.
                let isMadeAndFailed = disk.injectedFaults[.create] == 1 && effect == .done
                #expect(names.contains { $0.hasSuffix(".tmp") } == isMadeAndFailed, "call \(call), \(effect)")
                #expect(!isNamed || disk.injectedFaults[.syncDirectory] == 1 || effect == .done)
                #expect(disk.openFileCount == 0, "call \(call), \(effect)")
            }
        }
    }
}
