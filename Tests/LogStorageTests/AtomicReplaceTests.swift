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

@Suite struct AtomicReplaceTests {
    private static let old = Array("the old bytes".utf8)
    private static let new = Array("the new bytes, which are longer".utf8)

    /// A disk on which `/d/f` holds the old bytes.
    private func disk() -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.setContents("/d/f", Self.old)
        return disk
    }

    /// Replaces `/d/f` by the new bytes, in small pieces.
    private func replace(on disk: SimulatedDisk, bufferSize: Int = 8) throws -> any StorageFile {
        var replace = try AtomicReplace("f", in: "/d", of: disk, mode: .privateFile, bufferSize: bufferSize)
        try replace.append(Array(Self.new[..<5]))
        try replace.append(Array(Self.new[5..<8]))
        try replace.append(Array(Self.new[8..<25]))
        try replace.append([])
        try replace.append(Array(Self.new[25...]))
        #expect(replace.length == UInt64(Self.new.count))
        try replace.sync()
        return try replace.publish()
    }

    @Test(arguments: TestedFileSystem.allCases)
    func theNameStandsForTheNewBytes(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("old", at: "\(root)/f")
            var replace = try AtomicReplace("f", in: root, of: system, mode: .privateFile)
            try replace.append(Self.new)
            #expect(try system.text(at: "\(root)/f") == "old")
            try replace.sync()
            #expect(try system.text(at: "\(root)/f") == "old")
            let file = try replace.publish()
            #expect(try file.text() == String(decoding: Self.new, as: UTF8.self))
            #expect(try system.text(at: "\(root)/f") == String(decoding: Self.new, as: UTF8.self))
            #expect(try system.names(in: root) == ["f"])
        }
    }

    @Test(arguments: TestedFileSystem.allCases)
    func anAbandonedFileLeavesNothing(_ tested: TestedFileSystem) throws {
        try tested.run { (system, root) throws in
            try system.put("old", at: "\(root)/f")
            var replace = try AtomicReplace("f", in: root, of: system, mode: .privateFile)
            try replace.append(Self.new)
            #expect(try system.names(in: root)?.sorted() == ["f", "f.tmp"])
            try replace.abandon()
            #expect(try system.names(in: root) == ["f"])
            #expect(try system.text(at: "\(root)/f") == "old")
        }
    }

    @Test(arguments: 1...40)
    func everyBufferSizeGivesTheSameBytes(_ bufferSize: Int) throws {
        let disk = disk()
        _ = try replace(on: disk, bufferSize: bufferSize)
        #expect(disk.contents(of: "/d/f") == Self.new)
    }

    @Test func afterEveryCrashTheNameStandsForTheOldOrTheNewBytes() throws {
        let count = try {
            let disk = disk(); _ = try replace(on: disk); return disk.operationCount
        }()
        #expect(count > 4)
        for point in 0...count {
            for tearsWrite in [false, true] {
                let disk = disk()
                disk.cutPower(beforeOperation: point, tearsWrite: tearsWrite)
                do {
                    _ = try replace(on: disk)
                    #expect(point == count)
                } catch {
                    #expect((error as? StorageError)?.isPowerCut == true, "\(error)")
                }
                var survivors: [Survivors] = [.nothingUnsynced, .everything]
                survivors += (0..<50).map { .random(seed: $0) }
                survivors += try #require(disk.everySurvivors(limit: 20_000, fates: [.lost, .kept, .nuls]))
                for survivors in survivors {
                    let left = disk.afterPowerCut(survivors)
                    let bytes = left.contents(of: "/d/f")
                    let allowed = point == count ? [Self.new] : [Self.old, Self.new]
                    #expect(
                        bytes.map { allowed.contains($0) } == true,
                        "before operation \(point), \(survivors), \(disk.trace)"
                    )
                }
            }
        }
    }

    @Test func everyFailureLeavesTheOldOrTheNewBytesAndIsReported() throws {
        let count = try {
            let disk = disk(); _ = try replace(on: disk); return disk.operationCount
        }()
        for point in 0..<count {
            for effect in [Fault.Effect.nothing, .short(1), .done] {
                let disk = disk()
                disk.fail(.operation(point), code: EIO, effect: effect)
                #expect(throws: StorageError.self, "operation \(point), \(effect)") {
                    _ = try replace(on: disk)
                }
                #expect(disk.injectedFaultCount == 1)
                #expect(disk.openFileCount == 0)
                for seed in 0..<20 as Range<UInt64> {
                    let bytes = disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f")
                    #expect(bytes == Self.old || bytes == Self.new, "operation \(point), seed \(seed)")
                }
            }
        }
    }

    @Test func aFileThatIsNotSyncedIsNotPublished() async {
        await #expect(processExitsWith: .failure) {
            var replace = try AtomicReplace(
                "f",
                in: "/",
                of: SimulatedDisk(),
                mode: .privateFile,
                bufferSize: 4
            )
            try replace.sync()
            try replace.append(Array("more than fits the buffer".utf8))
            _ = try replace.publish()
        }
    }

    @Test func withoutTheSyncTheTestOfCrashesWouldFail() throws {
        let disk = disk()
        disk.fail(.every(.sync), code: 0, effect: .lie)
        _ = try replace(on: disk)
        let left = disk.afterPowerCut(.nothingUnsynced).contents(of: "/d/f")
        #expect(left == [], "the name outlived the power cut, the bytes did not")
    }
}
