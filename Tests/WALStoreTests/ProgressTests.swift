import Foundation
import Synchronization
import TestSupport
import Testing
import WALStore

/// Makes more lots of 2,000 than there are threads to decode them: some lot begins when another has ended.
private let count = 2_000 * (ProcessInfo.processInfo.activeProcessorCount + 1) + 500

/// A disk with a store that a crash left, so that opening has something to write anew.
private func crashedStore() async throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let repository = try open(on: disk, .written(syncEvery: .seconds(3600)))
    try await repository.save(contentsOf: (0..<count).map { Note("n\($0)", "text \($0)") })
    try await repository.compact()
    try await repository.save(contentsOf: (0..<count / 2).map { Note("n\($0)", "later \($0)") })
    return disk.afterKill()
}

private func fileBytes(_ disk: SimulatedDisk) -> Int64 {
    let newest = disk.paths.filter { $0.hasSuffix("0000000002.jsonl") }
    return newest.reduce(0) { $0 + Int64(disk.contents(of: $1)?.count ?? 0) }
}

/// Calls `body` with each item that is decoded.
private func configuration(
    _ disk: SimulatedDisk,
    _ body: @escaping @Sendable () -> Void
) -> StoreConfiguration {
    var configuration = StoreConfiguration.on(disk)
    configuration.schemaVersion = 2
    configuration.migrate = { json, _ in
        body()
        return json
    }
    return configuration
}

@Suite("Progress of an opening")
struct ProgressTests {
    @Test("It counts each byte twice, read and decoded, rises and ends whole")
    func counts() async throws {
        let disk = try await crashedStore()
        let bytes = fileBytes(disk)
        let progress = Progress(totalUnitCount: 0)
        let seen = Mutex<[Int64]>([])
        let repository = try Notes(
            directory: Place.directory,
            configuration: configuration(disk) {
                seen.withLock { $0.append(progress.completedUnitCount) }
            },
            progress: progress
        )
        #expect(await repository.count == count)
        let steps = seen.withLock { $0 }
        #expect(progress.totalUnitCount == bytes * 2)
        #expect(progress.completedUnitCount == progress.totalUnitCount && progress.isFinished)
        // All was read before the first item was decoded.
        #expect(steps.allSatisfy { (bytes...bytes * 2).contains($0) })
        // A lot is counted when it begins, so those that begin together may show one step.
        #expect(Set(steps).count >= 2, "\(Set(steps))")
    }

    @Test("A new store and an imported one end whole too")
    func created() async throws {
        let disk = SimulatedDisk()
        let progress = Progress(totalUnitCount: 0)
        _ = try await Notes.open(directory: Place.directory, configuration: .on(disk), progress: progress)
        #expect(progress.isFinished && progress.fractionCompleted == 1)
        let second = SimulatedDisk()
        second.setContents(Place.plainFile, Array(#"[{"id":"a","text":"1"}]"#.utf8))
        let imported = Progress(totalUnitCount: 0)
        _ = try Notes(directory: Place.directory, configuration: .on(second), progress: imported)
        #expect(imported.isFinished)
    }

    @Test("Cancelled while it reads, decodes or before it begins, opening says so and changes nothing")
    func cancelled() async throws {
        let disk = try await crashedStore()
        let before = disk.files
        let late = Progress(totalUnitCount: 0)
        let decoded = Atomic(0)
        let error = #expect(throws: StoreError.self) {
            _ = try Notes(
                directory: Place.directory,
                configuration: configuration(disk) {
                    if decoded.add(1, ordering: .relaxed).newValue == 100 { late.cancel() }
                },
                progress: late
            )
        }
        #expect(error?.code == .cancelled && error?.cause is CancellationError)
        #expect(decoded.load(ordering: .relaxed) < count, "It went on to the end.")
        var left = disk.files
        left["\(Place.store)/lock"] = before["\(Place.store)/lock"]
        #expect(left == before)
        #expect(disk.heldLockCount == 0 && disk.openFileCount == 0)

        let early = Progress(totalUnitCount: 0)
        early.cancel()
        let empty = SimulatedDisk()
        let refused = #expect(throws: StoreError.self) {
            _ = try Notes(directory: Place.directory, configuration: .on(empty), progress: early)
        }
        #expect(refused?.code == .cancelled)
        #expect(empty.operationCount == 0)
        let again = try open(on: disk)
        #expect(await again.count == count)
    }

    @Test("An import that is cancelled makes no store")
    func cancelledImport() async throws {
        let disk = SimulatedDisk()
        disk.setContents(Place.plainFile, Array(#"[{"id":"a","text":"1"}]"#.utf8))
        let progress = Progress(totalUnitCount: 0)
        var configuration = StoreConfiguration.on(disk)
        configuration.makeDecoder = {
            progress.cancel()
            return JSONDecoder()
        }
        let error = #expect(throws: StoreError.self) {
            _ = try Notes(directory: Place.directory, configuration: configuration, progress: progress)
        }
        #expect(error?.code == .cancelled)
        #expect(disk.paths == [Place.plainFile])
        let again = try open(on: disk)
        #expect(await again.texts == ["a": "1"])
    }

    @Test("Reading beside a writer reports too, and is cancelled as well")
    func readOnly() async throws {
        let disk = try await crashedStore()
        let writer = try open(on: disk)
        let progress = Progress(totalUnitCount: 0)
        let reader = try await ReadOnlyRepository<Note>(
            directory: Place.directory,
            configuration: .on(disk),
            progress: progress
        )
        #expect(progress.isFinished && progress.totalUnitCount == fileBytes(disk) * 2)
        #expect(await reader.count == writer.count)

        let cancelled = Progress(totalUnitCount: 0)
        let decoded = Atomic(0)
        let error = await #expect(throws: StoreError.self) {
            _ = try await ReadOnlyRepository<Note>(
                directory: Place.directory,
                configuration: configuration(disk) {
                    if decoded.add(1, ordering: .relaxed).newValue == 100 { cancelled.cancel() }
                },
                progress: cancelled
            )
        }
        #expect(error?.code == .cancelled)
        #expect(decoded.load(ordering: .relaxed) < count)
        #expect(cancelled.fractionCompleted < 1)
    }
}
