import LogFormat
import LogInspection
import Testing

/// Stores made up by the fuzzer (L10), of which verify said other than opening did.
@Suite struct FuzzFindingTests {
    private func faults(_ files: [String: FileBuilder]) throws -> [Fault] {
        try Verification.run("s", MemoryFileSystem(store: files), pause: {}).faults
    }

    private func rows(_ log: FileBuilder) throws -> [Row] {
        try faults(["log1": log]).map(\.row)
    }

    private let two = FileBuilder.log().put(1).put(2)

    /// Symptom: verify called a store beyond opening whose snapshot opening rebuilds.
    /// Cause: the log was held against the header of a snapshot that is damaged anyway.
    /// Must stay true: a damaged snapshot is no evidence against logs that fit each other.
    @Test func theHeaderOfADamagedSnapshotIsNoFaultOfItsLog() throws {
        let found = try faults([
            "log1": two,
            "snapshot2": FileBuilder.snapshot(2, first: 4).put(1).raw("damaged\n"),
            "log2": FileBuilder.log(2, first: 3),
        ])
        #expect(found.allSatisfy { $0.file.kind == .snapshot }, "\(found)")
        #expect(found.allSatisfy { $0.remedy == .rebuild(from: 1) }, "\(found)")
        #expect(!found.isEmpty)
    }

    /// Symptom: verify called a torn tail corruption that opening cuts.
    /// Cause: an object inside a damaged line was taken for a line of its own.
    /// Must stay true: what a value may hold says nothing about the file.
    @Test func anObjectInsideADamagedLineIsNoLineOfUnknownShape() throws {
        let strange = #""op":"strange"}"#
        #expect(try rows(two.raw("torn").line(strange)) == [.torn])
        #expect(try rows(two.raw("torn").line(#""format":2,"kind":"log"}"#)) == [.torn])
        #expect(try rows(two.raw("torn\n").line(strange)) == [.order, .order])
    }

    /// Symptom: verify called a torn tail what opening refuses.
    /// Cause: of an old record behind damage, `synced` was not looked at.
    /// Must stay true: a record that says it was synced before it was written is corruption anywhere.
    @Test func anOldRecordBehindDamageThatSaysItWasSyncedBeforeItIsCorruption() throws {
        #expect(try rows(two.raw("torn\n").put(2, synced: 2)) == [.order, .order])
        #expect(try rows(two.raw("torn\n").put(2, synced: 1)) == [.torn])
    }

    /// Symptom: verify called a store beyond opening whose first snapshot opening rebuilds.
    /// Cause: nothing before a snapshot of generation 1 was thought of.
    /// Must stay true: a log that begins with record 1 is a foundation, whatever snapshot stands beside it.
    @Test func aDamagedFirstSnapshotIsRebuiltFromALogThatBeginsWithTheFirstRecord() throws {
        let damaged = FileBuilder.snapshot(1, first: 1).raw("damaged\n")
        let found = try faults(["log1": two, "snapshot1": damaged])
        #expect(found.map(\.remedy) == [.rebuild(from: 1)], "\(found)")
        // An import begins behind the records of its snapshot, which are gone.
        let imported = try faults(["log1": FileBuilder.log(1, first: 3), "snapshot1": damaged])
        #expect(imported.allSatisfy { $0.remedy == .restoreOrRepair }, "\(imported)")
        #expect(!imported.isEmpty)
    }
}
