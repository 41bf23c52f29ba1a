import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct LogAppenderFaultTests {
    private let name = StoreDirectory.logName(1)

    /// A store with two records, the first of them acknowledged.
    private func store() throws -> (SimulatedDisk, EngineStore, StoreModel) {
        let disk = SimulatedDisk()
        var model = StoreModel()
        var store = try EngineStore.open(.simulated(disk))
        try store.append([.put("a", "1")], &model)
        try store.sync(&model)
        try store.append([.put("b", "2")], &model)
        return (disk, store, model)
    }

    private static let writeFaults: [(code: Int32, effect: Fault.Effect)] =
        [(EIO, .nothing), (ENOSPC, .nothing), (EDQUOT, .short(1)), (EFBIG, .done), (EIO, .done)]
        + (1...230).map { (ENOSPC, .short($0)) }

    @Test func everyFailedWriteIsCutBackAndTheNextAppendWorksAfterASync() throws {
        for (code, effect) in Self.writeFaults {
            var (disk, store, model) = try store()
            let before = try #require(disk.file(name))
            let position = store.appender.written
            disk.fail(.nth(.write, 0), code: code, effect: effect)
            let batch: [Change] = [.put("c", "3"), .delete("a"), .put("d", "4")]
            let error = #expect(throws: EngineError.self) { try store.append(batch, &model) }
            #expect(error?.code == .io && error?.cause?.code == code, "\(code) \(effect)")
            #expect(disk.file(name) == before, "\(code) \(effect)")
            #expect(store.appender.written == position && store.appender.poison == nil)
            #expect(store.appender.needsSyncBeforeAppend && store.appender.hasUnsynced)

            try store.sync(&model)
            #expect(!store.appender.needsSyncBeforeAppend && !store.appender.hasUnsynced)
            try store.append(batch, &model)
            #expect(model.current.number == 5)
            try store.close(&model)
            let opened = try EngineStore.open(.simulated(disk.afterPowerCut(.nothingUnsynced)))
            #expect(opened.moment == model.current && opened.plan.cut == nil, "\(code) \(effect)")
        }
    }

    /// The `synced` of a record that was cut back has to be said again.
    @Test func whatOnlyACutRecordSaidIsSaidAgain() throws {
        var (disk, store, model) = try store()
        try store.sync(&model)
        disk.fail(.nth(.write, 0), code: ENOSPC, effect: .done)
        #expect(throws: EngineError.self) { try store.append([.put("c", "3")], &model) }
        try store.append([.put("c", "3")], &model)
        let records = ByteFile(try #require(disk.file(name))).items().records
        #expect(records.map(\.head.synced?.rawValue) == [nil, 1, 2])
    }

    /// A sync that began before the cut proves nothing about it.
    @Test func aSyncInFlightDoesNotCoverTheCut() throws {
        var (disk, store, model) = try store()
        let point = store.appender.syncPoint
        disk.fail(.nth(.write, 0), code: ENOSPC, effect: .short(9))
        #expect(throws: EngineError.self) { try store.append([.put("c", "3")], &model) }
        store.appender.didSync(point)
        #expect(store.appender.needsSyncBeforeAppend && store.appender.hasUnsynced)
        #expect(store.appender.stable == store.appender.written)
        store.appender.didSync(store.appender.syncPoint)
        #expect(!store.appender.hasUnsynced)
    }

    @Test func aCutBackThatFailsPoisonsAndReopeningGoesOn() throws {
        for (code, effect) in Self.writeFaults {
            var (disk, store, model) = try store()
            disk.fail(.nth(.write, 0), code: code, effect: effect)
            disk.fail(.nth(.truncate, 0), code: EIO)
            let error = #expect(throws: EngineError.self) { try store.append([.put("c", "3")], &model) }
            #expect(error?.code == .outcomeUnknown && error?.cause?.code == code, "\(code) \(effect)")
            let operations = disk.operationCount
            for change in [Change.put("d", "4"), .delete("a")] {
                let refused = #expect(throws: EngineError.self) { try store.append([change], &model) }
                #expect(refused?.code == .poisoned, "\(code) \(effect)")
            }
            let mark = #expect(throws: EngineError.self) { try store.appender.appendMark() }
            #expect(mark?.code == .poisoned)
            #expect(disk.operationCount == operations, "Nothing is written any more.")
            store.giveUp()
            let opened = try EngineStore.open(.simulated(disk))
            #expect(model.allows(opened.moment), "\(code) \(effect): \(opened.moment)")
            #expect(opened.moment.number >= 2)
        }
    }

    @Test func aFailedSyncPoisonsAndCutsBackOnlyWhereAskedTo() throws {
        for cutBack in [true, false] {
            for cutFails in [false, true] {
                var (disk, store, _) = try store()
                let before = try #require(disk.file(name))
                let stable = Int(store.appender.stable.offset)
                if cutFails { disk.fail(.nth(.truncate, 0), code: EIO) }
                let error = StorageError(.sync, name, errno: EIO)
                let syncs = disk.syncCount
                store.appender.syncFailed(error, cutBack: cutBack)
                #expect(store.appender.poison?.code == .poisoned)
                let isCut = cutBack && !cutFails
                #expect(disk.file(name) == (isCut ? Array(before[..<stable]) : before))
                #expect(disk.syncCount == syncs, "A failed sync is never tried again: \(disk.trace)")
                let refused = #expect(throws: EngineError.self) {
                    try store.appender.append([Change.put("c", "3").encoded])
                }
                #expect(refused?.code == .poisoned)
            }
        }
    }

    @Test func aMarkIsWrittenOnceAndOnlyBehindRecords() throws {
        let disk = SimulatedDisk()
        var model = StoreModel()
        var store = try EngineStore.open(.simulated(disk))
        #expect(try !store.appender.appendMark(), "A log without records gets none.")
        try store.append([.put("a", "1")], &model)
        try store.sync(&model)
        #expect(try store.appender.appendMark())
        store.appender.didSync(store.appender.syncPoint)
        #expect(try !store.appender.appendMark(), "One is enough.")
        let records = ByteFile(try #require(disk.file(name))).items().records
        #expect(records.map(\.operation) == [.put, .mark])
        #expect(records.last?.head.synced == .first)
        store.giveUp()

        for _ in 0..<3 {
            var again = try EngineStore.open(.simulated(disk))
            #expect(again.plan.highestLogEndsInMark)
            var model = StoreModel(again.moment)
            try again.close(&model)
            #expect(ByteFile(try #require(disk.file(name))).items().records.count == 2)
        }
    }

    @Test func aFailedMarkIsCutBackAndTheRecordsBeforeItAreSafe() throws {
        for (code, effect) in Self.writeFaults {
            var (disk, store, model) = try store()
            try store.sync(&model)
            let before = disk.file(name)
            disk.fail(.nth(.write, 0), code: code, effect: effect)
            #expect(throws: EngineError.self) { try store.close(&model) }
            #expect(disk.file(name) == before, "\(code) \(effect)")
            for seed in 0..<5 as Range<UInt64> {
                let left = disk.afterPowerCut(.random(seed: seed))
                let opened = try EngineStore.open(.simulated(left))
                #expect(model.allows(opened.moment), "\(code) \(effect), seed \(seed)")
            }
        }
    }

    @Test func aClosedAppenderWritesNothing() throws {
        var (disk, store, _) = try store()
        store.giveUp()
        let operations = disk.operationCount
        let error = #expect(throws: EngineError.self) {
            try store.appender.append([Change.put("c", "3").encoded])
        }
        #expect(error?.code == .closed)
        #expect(disk.operationCount == operations && disk.openFileCount == 0 && disk.heldLockCount == 0)
    }
}
