import Foundation
import LogStorage
import TestSupport
import Testing
import WALStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux)
    @Suite struct RealFullDiskTests {
        /// Runs `body` in a small file system of its own, or says why not.
        private func withSmallDisk(
            _ name: String,
            _ options: String,
            _ body: (TemporaryDirectory) async throws -> Void
        ) async throws {
            let directory = try TemporaryDirectory()
            guard mount("walstore-test", directory.path, "tmpfs", 0, options) == 0 else {
                print("SKIPPED \(name): a tmpfs cannot be mounted here: \(String(cString: strerror(errno)))")
                return
            }
            defer {
                if umount2(directory.path, Int32(MNT_DETACH)) != 0 {
                    Issue.record("\(directory.path) stays mounted: \(String(cString: strerror(errno)))")
                }
            }
            try await body(directory)
        }

        private func length(_ path: String) throws -> UInt64 {
            try POSIXFileSystem().openForReading(path)?.length() ?? 0
        }

        @Test func onARealFullDiskASaveFailsChangesNothingAndWorksAgainOnceThereIsRoom() async throws {
            let name = "onARealFullDiskASaveFailsChangesNothingAndWorksAgainOnceThereIsRoom"
            try await withSmallDisk(name, "size=256k") { directory in
                let ballast = "\(directory.path)/ballast"
                let filler = try POSIXFileSystem().create(ballast, mode: .privateFile)
                try filler.write([UInt8](repeating: 1, count: 100 << 10), at: 0)
                let repository = try open(in: directory)
                var saved: [String: String] = [:]
                var failure: StoreError?
                while failure == nil {
                    let note = Note("n\(saved.count)", String(repeating: "x", count: 3_000))
                    failure = await storeError { try await repository.save(note) }
                    if failure == nil { saved[note.id] = note.text }
                }
                #expect(failure?.code == .diskFull)
                #expect(saved.count > 20)
                let end = try length(directory.log)
                for number in 0..<20 {
                    let batch = (0..<4).map {
                        Note("m\($0)", String(repeating: "\(number % 10)", count: 2_000))
                    }
                    #expect(await code { try await repository.save(contentsOf: batch) } == .diskFull)
                    #expect(try length(directory.log) == end, "cut back")
                }
                #expect(await repository.texts == saved)
                try filler.truncate(to: 0)
                try await repository.save(Note("after", "room"))
                saved["after"] = "room"
                #expect(await repository.texts == saved)
                try await repository.close()
                #expect(await (try open(in: directory)).texts == saved)
            }
        }

        @Test func aStoreThatCannotBeMadeOnAFullDiskIsAnErrorAndCanBeMadeOnceThereIsRoom() async throws {
            let name = "aStoreThatCannotBeMadeOnAFullDiskIsAnErrorAndCanBeMadeOnceThereIsRoom"
            try await withSmallDisk(name, "size=64k") { directory in
                let ballast = "\(directory.path)/ballast"
                let filler = try POSIXFileSystem().create(ballast, mode: .privateFile)
                var length: UInt64 = 0
                while await isWritten(filler, &length) {}
                #expect(await code { _ = try open(in: directory) } == .diskFull)
                try filler.truncate(to: 0)
                let repository = try open(in: directory)
                try await repository.save(Note("a"))
                try await repository.close()
            }
        }

        private func isWritten(_ file: any StorageFile, _ length: inout UInt64) async -> Bool {
            do {
                try file.write([UInt8](repeating: 1, count: 4096), at: length)
                length += 4096
                return true
            } catch {
                return false
            }
        }

        @Test func aDeviceThatIsAlwaysFullFailsEveryWriteAndNeverCounts() async throws {
            let device = try #require(try POSIXFileSystem().openForWriting("/dev/full"))
            do throws(StorageError) {
                try device.write([1], at: 0)
                Issue.record("a write to /dev/full succeeded")
            } catch {
                #expect(error.isFullDisk)
            }
        }
    }
#endif
