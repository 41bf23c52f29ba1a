import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// Each opens with the symptom, its cause, and what must stay true.
@Suite struct RegressionTests {
    /// A store with one acknowledged record, on a disk of its own.
    private func storeWithOneRecord() throws -> (SimulatedDisk, EngineStore, StoreModel) {
        let disk = SimulatedDisk()
        var model = StoreModel()
        var store = try EngineStore.open(.simulated(disk))
        try store.append([.put("a", "1")], &model)
        try store.sync(&model)
        return (disk, store, model)
    }

    /// Symptom: after a failed append and a clean close, a power cut left a store that was refused.
    /// Cause: only waiting records made the close sync first, so the mark was written over a cut that
    /// was not stable yet, and a later record of the failed batch came back behind it.
    /// Must stay true: an append that was cut back needs a sync before anything else, the mark too.
    @Test func closingAfterAFailedAppendLeavesNoRecordOfItBehindTheMark() throws {
        for count in 0..<4 {
            for seed in 0..<200 as Range<UInt64> {
                var (disk, store, model) = try storeWithOneRecord()
                disk.fail(.nth(.write, 0), code: 5, effect: .done)
                let batch = (1...4).map { Change.put("b", "\($0)") }
                #expect(throws: EngineError.self) { try store.append(batch, &model) }
                #expect(store.appender.hasUnsynced)
                disk.cutPower(beforeOperation: disk.operationCount + count)
                do { try store.close(&model) } catch { #expect(disk.isOff) }
                let left = StoreDirectory.simulated(disk.afterPowerCut(.random(seed: seed)))
                let moment = try Recovery.storePlan(left).moment(in: left)
                #expect(model.allows(moment), "cut \(count), seed \(seed): \(moment)")
            }
        }
    }
}
