#if os(Linux)
    import Foundation
    import LogStorage
    import ProcessCampaigns
    import TestSupport
    import Testing
    import WALStore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// L9: disks that can only be read, and one that fails.
    @Suite(.serialized) struct RealDiskTests {
        private typealias Store = LocalRepository<LabItem>

        /// Runs `body` with a file system of its own, or says why not.
        private func withDisk(
            _ kind: LoopDisk.Kind,
            backing: String? = nil,
            name: String = #function,
            _ body: (LoopDisk, URL) async throws -> Void
        ) async throws {
            let scratch = try TemporaryDirectory()
            do {
                let disk = try await LoopDisk(kind, in: scratch.path, backing: backing)
                try await body(disk, URL(filePath: disk.mountPoint, directoryHint: .isDirectory))
            } catch let missing as Unavailable {
                print("SKIPPED \(name), \(kind.rawValue): \(missing)")
            }
        }

        private func item(_ id: String) -> LabItem {
            LabItem(id: id, text: String(repeating: id, count: 500))
        }

        private func ids(_ store: Store) async -> Set<String> {
            Set(await store.loadAll().map(\.id))
        }

        private func storeError(_ body: () async throws -> Void) async -> StoreError? {
            do {
                try await body()
                return nil
            } catch let error as StoreError {
                return error
            } catch {
                Issue.record("not a StoreError: \(error)")
                return nil
            }
        }

        @Test(arguments: LoopDisk.Kind.allCases)
        func aStoreOnADiskThatCanOnlyBeReadIsRefusedReadBesideAndUnchanged(_ kind: LoopDisk.Kind) async throws
        {
            try await withDisk(kind) { disk, directory in
                let store = try Store(directory: directory)
                try await store.save(contentsOf: ["a", "b"].map(item))
                try await store.close()
                try await disk.unmount()
                try disk.mount(readOnly: true)
                let refusal = await storeError { _ = try Store(directory: directory) }
                #expect(refusal?.code == .io, "\(String(describing: refusal))")
                #expect(refusal?.message.contains("Read-only") == true, "\(String(describing: refusal))")
                let elsewhere = await storeError {
                    _ = try Store(directory: directory.appending(path: "new"))
                }
                #expect(elsewhere?.code == .io, "\(String(describing: elsewhere))")
                do {
                    let reader = try await ReadOnlyRepository<LabItem>(directory: directory)
                    #expect(Set(await reader.loadAll().map(\.id)) == ["a", "b"])
                }
                try await disk.unmount()
                try disk.mount()
                let again = try Store(directory: directory)
                #expect(await ids(again) == ["a", "b"])
                #expect(again.recovery.bytesCut == 0)
                try await again.close()
                try await disk.unmount()
            }
        }

        /// The kernel remounts no disk read-only on which files are open for writing. But ext4 makes itself so
        /// when it finds an error of its own, and xfs then fails everything.
        @Test(arguments: LoopDisk.Kind.allCases)
        func aDiskThatTakesNoMoreWritesUnderAStoreFailsSavesAndLosesNothing(_ kind: LoopDisk.Kind)
            async throws
        {
            try await withDisk(kind) { disk, directory in
                let store = try Store(directory: directory)
                try await store.save(item("a"))
                try kind == .ext4 ? disk.abort() : disk.cutPower()
                var answers: Set<StoreError.Code> = []
                for _ in 0..<3 {
                    let error = await storeError { try await store.save(item("b")) }
                    if let error { answers.insert(error.code) }
                }
                #expect(
                    !answers.isEmpty && answers.isSubset(of: [.io, .outcomeUnknown, .poisoned]),
                    "\(answers)"
                )
                #expect(await ids(store) == ["a"], "reads go on")
                #expect(await storeError { _ = try await store.compact() } != nil)
                _ = await storeError { try await store.close() }
                try await disk.unmount()
                try disk.mount()
                let again = try Store(directory: directory)
                #expect(await ids(again).subtracting(["b"]) == ["a"])
                try await again.save(item("c"))
                #expect(await ids(again).contains("c"))
                try await again.close()
                try await disk.unmount()
            }
        }

        /// The device lies in a file with holes on a disk that has no room to fill them.
        @Test func aDeviceThatFailsSyncsEndsWritingAndLosesNothingThatWasAcknowledged() async throws {
            let backing = try TemporaryDirectory()
            guard mount("walstore-test", backing.path, "tmpfs", 0, "size=40m") == 0 else {
                return print("SKIPPED \(#function): no tmpfs: \(String(cString: strerror(errno)))")
            }
            defer {
                if umount2(backing.path, Int32(MNT_DETACH)) != 0 {
                    Issue.record("\(backing.path) stays mounted: \(String(cString: strerror(errno)))")
                }
            }
            try await withDisk(.ext4, backing: backing.path) { disk, directory in
                let store = try Store(directory: directory)
                try await store.save(item("a"))
                let ballast = try POSIXFileSystem().create("\(backing.path)/ballast", mode: .privateFile)
                var size: UInt64 = 0
                while await storageCode({ try ballast.write([UInt8](repeating: 1, count: 4096), at: size) })
                    == nil
                {
                    size += 4096
                }
                var saved: Set = ["a"]
                var failure: StoreError?
                for number in 0..<4_000 where failure == nil {
                    failure = await storeError { try await store.save(item("n\(number)")) }
                    if failure == nil { saved.insert("n\(number)") }
                }
                #expect(
                    failure?.code == .outcomeUnknown,
                    "\(String(describing: failure)), \(saved.count) saved"
                )
                #expect(await storeError { try await store.save(item("b")) }?.code == .poisoned)
                #expect(await ids(store) == saved, "reads go on, without what failed")
                _ = await storeError { try await store.close() }

                try ballast.truncate(to: 0)
                try disk.cutPower()
                try await disk.unmount()
                try disk.mount()
                let again = try Store(directory: directory)
                let found = await ids(again)
                #expect(found.isSuperset(of: saved), "\(saved.subtracting(found))")
                #expect(found.count <= saved.count + 1)
                try await again.save(item("c"))
                try await again.close()
                try await disk.unmount()
            }
        }

        private func storageCode(_ body: () throws -> Void) async -> Int32? {
            do {
                try body()
                return nil
            } catch {
                return (error as? StorageError)?.code ?? -1
            }
        }
    }
#endif
