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

@Suite struct OpeningTests {
    @Test func aSecondOpenerInTheSameProcessIsRefusedByTheHoldersPID() async throws {
        let directory = try TemporaryDirectory()
        let first = try open(in: directory)
        let error = await storeError { _ = try open(in: directory) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("process \(getpid()) ") == true)
        #expect(error?.message.contains("this one") == true)
        try await first.save(Note("a"))
        try await first.close()
        let second = try open(in: directory)
        #expect(await second.count == 1)
    }

    @Test func afterCloseOrAfterTheLastReferenceTheStoreOpensAtOnce() async throws {
        let directory = try TemporaryDirectory()
        for life in 0..<60 {
            var repository: Notes? = try open(in: directory)
            try await repository?.save(Note("\(life)"))
            if life % 2 == 0 { try await repository?.close() }
            #expect(await repository?.count == life + 1)
            repository = nil
        }
    }

    @Test func afterConcurrentSavesAndTheLastReferenceTheStoreOpensAtOnce() async throws {
        let directory = try TemporaryDirectory()
        for life in 0..<40 {
            let repository = try open(in: directory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { try await repository.save(Note("\(life)-\(number)")) } }
                try await group.waitForAll()
            }
        }
    }

    @Test func aStaleLockFileHoldsNobodyUp() async throws {
        let disk = SimulatedDisk()
        disk.setContents("\(Place.store)/lock", Array("process 1 (someone) since ever\n".utf8))
        let repository = try open(on: disk)
        try await repository.save(Note("a"))
    }

    @Test func anUnreadableFileIsAnErrorAndNeverAnEmptyStore() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        try await repository.close()
        let operations: [StorageError.Operation] = [.read, .open, .length, .list, .inspect]
        for operation in operations {
            for code in [EIO, EACCES, EPERM] {
                let copy = disk.copy()
                copy.fail(.every(operation), code: code)
                let before = copy.files
                let error = await storeError { _ = try open(on: copy) }
                #expect(error?.code == .io, "\(operation), errno \(code)")
                #expect(
                    copy.files.filter { $0.key != "\(Place.store)/lock" }
                        == before.filter { $0.key != "\(Place.store)/lock" }
                )
                copy.clearFaults()
                #expect(await (try open(on: copy)).texts == ["a": "1"])
            }
        }
    }

    @Test func somethingThatIsNoDirectoryIsRefusedAndLeft() async throws {
        let directory = try TemporaryDirectory()
        let file = try POSIXFileSystem().create(directory.store, mode: .privateFile)
        try file.write(Array("mine".utf8), at: 0)
        #expect(await code { _ = try open(in: directory) } == .notADirectory)
        #expect(try file.bytes(in: 0..<file.length(), path: directory.store) == Array("mine".utf8))
    }

    @Test func aDirectoryWithEvidenceAndWithoutFilesIsNoNewStore() async throws {
        let disk = SimulatedDisk()
        disk.setContents("\(Place.store)/quarantine/log-0000000001.jsonl.97.1.bytes", [1, 2, 3])
        disk.setContents(Place.plainFile, Array("[]".utf8))
        let error = await storeError { _ = try open(on: disk) }
        #expect(error?.code == .filesMissing)
        #expect(!disk.paths.contains { $0.hasSuffix(".jsonl") })
    }

    @Test func anEmptyLogFileIsDamageAndNoNewStore() async throws {
        for bytes in [[], [0x0A], [0, 0, 0], Array("x".utf8)] as [[UInt8]] {
            let disk = SimulatedDisk()
            disk.setContents(Place.log, bytes)
            #expect(await code { _ = try open(on: disk) } == .corruption, "\(bytes)")
            #expect(disk.contents(of: Place.log) == bytes)
        }
    }

    @Test func everyFlippedBitOfAClosedStoreIsRefusedOrHarmless() async throws {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(Note("a", "1"))
        try await repository.save(contentsOf: [Note("b", "2"), Note("c", "2")])
        try await repository.delete("a")
        try await repository.close()
        let bytes = try #require(disk.contents(of: Place.log))
        let lastLine = try #require(records(bytes).last).line.count
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            let copy = SimulatedDisk()
            copy.setContents(Place.log, damaged)
            do {
                let found = try await open(on: copy).texts
                // Only the mark itself has no line behind it that says it was there.
                #expect(index >= bytes.count - lastLine, "the flip of byte \(index) went unnoticed")
                #expect(found == ["b": "2", "c": "2"], "byte \(index)")
            } catch let error as StoreError {
                #expect(error.code == .corruption || error.code == .newerFormat, "byte \(index)")
                #expect(copy.contents(of: Place.log) == damaged, "byte \(index)")
            }
        }
    }
}
