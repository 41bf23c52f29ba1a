import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.serialized) struct ImportTests {
    private static let notes = [Note("a", "1"), Note("é\n\u{2028}", "2"), Note("c", "\"3\"\0")]
    private static let texts = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })

    private func plainFile(_ notes: [Note] = notes) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted]
        return Array(try encoder.encode(notes))
    }

    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.setContents(Place.plainFile, try plainFile())
        return disk
    }

    @Test func aPlainFileIsImportedOnceAndLeftAsItIs() async throws {
        let directory = try TemporaryDirectory()
        let bytes = try plainFile((0..<5_000).map { Note("n\($0)", "text \($0)\n") })
        let path = "\(directory.path)/data.json"
        try POSIXFileSystem().create(path, mode: .privateFile).write(bytes, at: 0)
        for life in 0..<3 {
            let repository = try open(in: directory)
            let origin = repository.recovery.origin
            #expect(origin == (life == 0 ? .imported(items: 5_000) : .existing))
            #expect(await repository.count == 5_000 - life)
            #expect(await repository.find(by: "n4999")?.text == "text 4999\n")
            try await repository.delete("n\(life)")
            try await repository.close()
            let file = try #require(try POSIXFileSystem().openForReading(path))
            #expect(try file.bytes(in: 0..<file.length(), path: path) == bytes)
        }
    }

    @Test func anEmptyArrayIsAnEmptyStoreAndIsNotImportedAgain() async throws {
        let disk = SimulatedDisk()
        disk.setContents(Place.plainFile, Array("[]".utf8))
        let first = try open(on: disk)
        #expect(first.recovery.origin == .imported(items: 0))
        try await first.close()
        disk.setContents(Place.plainFile, try plainFile())
        let second = try open(on: disk)
        #expect(second.recovery.origin == .existing)
        #expect(await second.count == 0)
    }

    @Test func everyDamagedPlainFileIsAnErrorAndOnceRepairedItIsImported() async throws {
        let whole = try plainFile()
        var damaged: [[UInt8]] = (0..<whole.count).map { Array(whole[..<$0]) }
        damaged += ["null", "{}", "0", "[1]", "[{}]", #"[{"id":"a"}]"#, "[] []", "\0"].map { Array($0.utf8) }
        damaged.append(Array(#"[{"id":"a","text":"1"},{"id":"b","text":"2"},{"id":"a","text":"3"}]"#.utf8))
        damaged.append(Array("[{\"id\":\"é\",\"text\":\"1\"},{\"id\":\"e\u{301}\",\"text\":\"2\"}]".utf8))
        let disk = SimulatedDisk()
        for bytes in damaged {
            disk.setContents(Place.plainFile, bytes)
            let error = await storeError { _ = try open(on: disk) }
            #expect(error?.code == .importFailed, "\(text(bytes))")
            #expect(error?.message.contains(Place.plainFile) == true)
            #expect(disk.contents(of: Place.plainFile) == bytes)
            #expect(!disk.paths.contains { $0.hasSuffix(".jsonl") }, "\(text(bytes))")
        }
        disk.setContents(Place.plainFile, whole)
        let repository = try open(on: disk)
        #expect(repository.recovery.origin == .imported(items: 3))
        #expect(await repository.texts == Self.texts)
    }

    @Test func aPlainFileThatCannotBeReadIsAnErrorAndNoStore() async throws {
        for operation in [StorageError.Operation.inspect, .open, .length, .read] {
            let disk = try disk()
            disk.fail(.every(operation), code: EIO, file: "data.json")
            #expect(await code { _ = try open(on: disk) } == .io, "\(operation)")
            #expect(!disk.paths.contains { $0.hasSuffix(".jsonl") }, "\(operation)")
            disk.clearFaults()
            #expect(await (try open(on: disk)).texts == Self.texts, "\(operation)")
        }
    }

    private func counts() throws -> (operations: Int, calls: Int) {
        let disk = try disk()
        _ = try open(on: disk)
        return (disk.operationCount, disk.callCount)
    }

    @Test func afterAPowerCutAtEveryPointOfAnImportEveryItemIsThere() async throws {
        let operations = try counts().operations
        for operation in 0..<operations {
            for seed in 0..<40 as Range<UInt64> {
                let disk = try disk()
                disk.cutPower(beforeOperation: operation, tearsWrite: seed % 2 == 0)
                #expect(await code { _ = try open(on: disk) } == .io)
                let after = disk.afterPowerCut(seed == 0 ? .nothingUnsynced : .random(seed: seed))
                try await checkRecovery(
                    of: after,
                    possible: [Self.texts],
                    seed: seed,
                    "import cut before operation \(operation), seed \(seed)"
                )
            }
        }
    }

    @Test func afterAnErrorOfEveryCallOfAnImportEveryItemIsThere() async throws {
        let calls = try counts().calls
        let effects: [(Int32, Fault.Effect)] = [
            (EIO, .nothing), (ENOSPC, .short(40)), (ENOSPC, .short(200)), (EIO, .done),
        ]
        for call in 0..<calls {
            for (code, effect) in effects {
                for isOnce in [true, false] {
                    let disk = try disk()
                    let fault = Fault(isOnce ? .call(call) : .callsFrom(call), code: code, effect: effect)
                    disk.inject(fault)
                    let error = await storeError { _ = try open(on: disk) }
                    #expect(error == nil || [.io, .diskFull].contains(error?.code), "\(fault)")
                    disk.clearFaults()
                    #expect(disk.openFileCount == 0 && disk.heldLockCount == 0, "\(fault) leaks")
                    do {
                        let repository = try open(on: disk)
                        #expect(await repository.texts == Self.texts, "\(fault)")
                        try await repository.save(Note("new", "x"))
                        var expected = Self.texts
                        expected["new"] = "x"
                        guard isOnce, disk.durableContents(of: Place.store) != nil else { continue }
                        let cut = disk.afterPowerCut(.nothingUnsynced)
                        #expect(await (try open(on: cut)).texts == expected, "\(fault), then a power cut")
                    } catch {
                        Issue.record("\(fault): \(error)")
                    }
                }
            }
        }
    }

    /// Symptom: an import whose last step failed, the sync of the directory, was opened the next time, and
    /// a power cut took the snapshot from under everything saved since.
    /// Cause: the snapshot's name stayed where it was, visible and not stable.
    /// Must stay true: a snapshot that could not be published is taken back, and the import repeated.
    @Test func aSnapshotWhoseNameIsNotStableIsTakenBack() async throws {
        let disk = try disk()
        disk.fail(.nth(.syncDirectory, 1), code: EIO, file: "/data.wal")
        #expect(await code { _ = try open(on: disk) } == .io)
        #expect(!disk.paths.contains { $0.contains("snapshot-") })
        let repository = try open(on: disk)
        #expect(repository.recovery.origin == .imported(items: 3))
        try await repository.save(Note("new", "x"))
        for seed in 0..<50 as Range<UInt64> {
            let after = try open(on: disk.afterPowerCut(.random(seed: seed)))
            #expect(await after.count == 4, "seed \(seed)")
        }
    }

    /// Symptom: with a schema version above 1, imported items were migrated whenever they were opened.
    /// Cause: an import wrote them as values of version 1, though the item type of today had encoded them.
    /// Must stay true: what is imported has the version of the type that encoded it.
    @Test func importedItemsHaveTheSchemaVersionOfTheTypeThatEncodedThem() async throws {
        let disk = try disk()
        var configuration = StoreConfiguration.on(disk)
        configuration.schemaVersion = 3
        configuration.migrate = { _, _ in Data(#"{"id":"a","text":"migrated"}"#.utf8) }
        for _ in 0..<2 {
            let repository = try Notes(directory: Place.directory, configuration: configuration)
            #expect(repository.recovery.migrated == 0)
            #expect(await repository.texts == Self.texts)
            try await repository.close()
        }
    }

    @Test func aCutShortImportWhoseSourceIsGoneIsCorruption() async throws {
        let disk = try disk()
        disk.fail(.every(.rename), code: EIO, file: "snapshot-0000000001.jsonl.tmp")
        #expect(await code { _ = try open(on: disk) } == .io)
        let bytes = try #require(disk.contents(of: Place.plainFile))
        disk.clearFaults()
        disk.removeContents(Place.plainFile)
        let before = disk.contents(of: Place.log)
        let error = await storeError { _ = try open(on: disk) }
        #expect(error?.code == .corruption)
        #expect(error?.message.contains(Place.plainFile) == true)
        #expect(disk.contents(of: Place.log) == before)
        disk.setContents(Place.plainFile, bytes)
        #expect(await (try open(on: disk)).texts == Self.texts)
    }

    @Test func aFullDiskDuringAnImportIsAnErrorAndTheNextOpeningImports() async throws {
        let needed = try disk()
        _ = try open(on: needed)
        for room in stride(from: 0, to: 700, by: 10) {
            let disk = try disk()
            disk.capacity = disk.usedBytes + room
            let found = await code { _ = try open(on: disk) }
            #expect(found == .diskFull || found == nil, "room \(room)")
            disk.capacity = nil
            #expect(await (try open(on: disk)).texts == Self.texts, "room \(room)")
        }
    }
}
