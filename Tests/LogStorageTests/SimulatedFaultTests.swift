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

/// How the simulated disk fails.
@Suite struct SimulatedFaultTests {
    @Test func afterAFailedSyncTheNextOneSucceedsAndLies() throws {
        let disk = SimulatedDisk(file: "old")
        let file = try disk.writable("/d/f")
        try file.write(Array("newer".utf8), at: 0)
        disk.fail(.nth(.sync, 0), code: EIO)
        expectError(EIO) { try file.sync() }
        #expect(disk.text("/d/f") == "newer", "the visible bytes stay")
        try file.sync()
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "old")
        #expect(disk.afterPowerCut(.everything).text("/d/f") == "newer", "some of it may have got there")
        #expect(disk.injectedFaults == [.sync: 1])
    }

    @Test func onlyWhatIsWrittenAgainIsStableAfterAFailedSync() throws {
        let disk = SimulatedDisk(file: "..........")
        let file = try disk.writable("/d/f")
        try file.write(Array("abcdefghijklm".utf8), at: 0)
        disk.fail(.nth(.sync, 0), code: EIO)
        expectError(EIO) { try file.sync() }
        try file.write(Array("XY".utf8), at: 2)
        try file.sync()
        #expect(disk.text("/d/f") == "abXYefghijklm")
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "..XY......")
        for seed in 0..<500 as Range<UInt64> {
            let left = disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f") ?? []
            #expect(left[2..<4] == Array("XY".utf8)[...], "seed \(seed)")
        }
        try file.write(Array("abXYefghijklm".utf8), at: 0)
        try file.sync()
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "abXYefghijklm")
        #expect(disk.survivorCount() == 1)
    }

    @Test func aTruncationThatAFailedSyncDroppedNeverCutsWhatIsSyncedLater() throws {
        let disk = SimulatedDisk(file: "0123456789")
        let file = try disk.writable("/d/f")
        try file.truncate(to: 4)
        disk.fail(.nth(.sync, 0), code: EIO)
        expectError(EIO) { try file.sync() }
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "0123456789")
        try file.write(Array("abc".utf8), at: 4)
        try file.sync()
        for seed in 0..<500 as Range<UInt64> {
            let left = disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f") ?? []
            #expect(left.starts(with: Array("0123abc".utf8)), "seed \(seed)")
        }
    }

    @Test func everyMutatingOperationHasItsNumberAndCanFail() throws {
        func work(_ disk: SimulatedDisk) throws {
            _ = try disk.createDirectory("/e", mode: .privateDirectory)
            let file = try disk.create("/e/a", mode: .privateFile)
            try file.write(Array("text".utf8), at: 3)
            try file.truncate(to: 5)
            try file.sync()
            try disk.rename("/e/a", to: "/e/b")
            try disk.syncDirectory("/e")
            _ = try disk.remove("/e/b")
        }
        let sound = SimulatedDisk()
        try work(sound)
        #expect(
            sound.trace == [
                "#0 createDirectory e", "#1 create a", "#2 write a @3 +4", "#3 truncate a to 5", "#4 sync a",
                "#5 rename a to b", "#6 syncDirectory e", "#7 remove b",
            ]
        )
        for operation in 0..<sound.operationCount {
            let failing = SimulatedDisk()
            failing.fail(.operation(operation), code: EIO)
            expectError(EIO) { try work(failing) }
            #expect(failing.operationCount == operation + 1)
            #expect(failing.injectedFaultCount == 1)

            let off = SimulatedDisk()
            off.cutPower(beforeOperation: operation)
            #expect { try work(off) } throws: { ($0 as? StorageError)?.isPowerCut == true }
            #expect(off.operations == Array(sound.operations[..<operation]))
            #expect(off.isOff)
        }
    }

    @Test func whenThePowerIsCutEveryCallFails() throws {
        let disk = SimulatedDisk(file: "text")
        let file = try disk.writable("/d/f")
        disk.cutPower()
        let calls: [() throws -> Void] = [
            { _ = try disk.names(in: "/d") }, { _ = try disk.kind(of: "/d") },
            { _ = try disk.createDirectory("/e", mode: .privateDirectory) },
            { _ = try disk.openForReading("/d/f") }, { _ = try disk.openForWriting("/d/f") },
            { _ = try disk.create("/d/g", mode: .privateFile) }, { try disk.rename("/d/f", to: "/d/g") },
            { _ = try disk.remove("/d/f") }, { try disk.syncDirectory("/d") },
            { _ = try disk.lock("/d/l", mode: .privateFile, note: "") }, { _ = try disk.freeSpace(at: "/d") },
            { _ = try file.length() }, { _ = try file.oneRead(at: 0, count: 1) },
            { try file.write([1], at: 0) }, { try file.truncate(to: 0) }, { try file.sync() },
        ]
        for (index, call) in calls.enumerated() {
            #expect("call \(index)") { try call() } throws: { ($0 as? StorageError)?.isPowerCut == true }
        }
        #expect(disk.text("/d/f") == "text")
    }

    @Test func thePowerCanBeCutInTheMiddleOfAWrite() throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        try file.write(Array("0123".utf8), at: 0)
        disk.cutPower(beforeOperation: 1, tearsWrite: true)
        #expect { try file.write(Array("456789".utf8), at: 4) } throws: {
            ($0 as? StorageError)?.isPowerCut == true
        }
        #expect(disk.afterPowerCut(.everything).text("/d/f") == "0123456")
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "")
    }

    @Test func effectsAreAsTheyAreCalled() throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        disk.fail(.nth(.write, 0), code: ENOSPC, effect: .short(3))
        expectError(ENOSPC) { try file.write(Array("abcdef".utf8), at: 0) }
        #expect(disk.text("/d/f") == "abc")
        disk.fail(.nth(.write, 0), code: EIO, effect: .done)
        expectError(EIO) { try file.write(Array("ABCDEF".utf8), at: 0) }
        #expect(disk.text("/d/f") == "ABCDEF")
        disk.fail(.nth(.sync, 0), code: EIO, effect: .done)
        expectError(EIO) { try file.sync() }
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "ABCDEF")
        disk.fail(.nth(.rename, 0), code: EIO, effect: .nothing)
        expectError(EIO) { try disk.rename("/d/f", to: "/d/g") }
        #expect(disk.paths == ["/d/f"])
        disk.fail(.nth(.rename, 0), code: EIO, effect: .done)
        expectError(EIO) { try disk.rename("/d/f", to: "/d/g") }
        #expect(disk.paths == ["/d/g"])
        disk.fail(.nth(.truncate, 0), code: 0, effect: .lie)
        try file.truncate(to: 0)
        #expect(disk.text("/d/g") == "ABCDEF")
        #expect(disk.injectedFaults == [.write: 2, .sync: 1, .rename: 2, .truncate: 1])
    }

    @Test func faultsKeepToTheirKindTheirFileAndTheirTime() throws {
        let disk = SimulatedDisk(file: "f")
        disk.setContents("/d/g.tmp", [7])
        disk.fail(.every(.read), code: EIO, file: ".tmp")
        #expect(try disk.text(at: "/d/f") == "f")
        expectError(EIO) { try disk.text(at: "/d/g.tmp") }
        expectError(EIO) { try disk.text(at: "/d/g.tmp") }
        disk.clearFaults()
        #expect(try disk.text(at: "/d/g.tmp") == "\u{7}")
        disk.fail(.from(.open, 1), code: EACCES)
        #expect(try disk.openForReading("/d/f") != nil)
        expectError(EACCES) { try disk.openForReading("/d/f") }
        expectError(EACCES) { try disk.openForWriting("/d/f") }
        disk.clearFaults()
        disk.fail(.callsFrom(disk.callCount + 1), code: EIO)
        #expect(try disk.kind(of: "/d") == .directory)
        expectError(EIO) { try disk.kind(of: "/d") }
        expectError(EIO) { try disk.syncDirectory("/d") }
        disk.clearFaults()
        disk.fail(.call(disk.callCount), code: EIO)
        expectError(EIO) { try disk.names(in: "/d") }
        #expect(try disk.names(in: "/d")?.count == 2)
    }

    @Test func aFullDiskTakesWhatFitsAndTellsTheTruth() throws {
        let disk = SimulatedDisk(file: "0123456789")
        disk.capacity = 16
        #expect(try disk.freeSpace(at: "/d") == 6)
        let file = try disk.writable("/d/f")
        try file.write(Array("overwritten".utf8), at: 0)
        #expect(try disk.freeSpace(at: "/d") == 5)
        expectError(ENOSPC) { try file.write(Array("abcdefgh".utf8), at: 11) }
        #expect(disk.text("/d/f") == "overwrittenabcde")
        #expect(try disk.freeSpace(at: "/d") == 0)
        expectError(ENOSPC) { try file.truncate(to: 17) }
        expectError(ENOSPC) { try disk.create("/d/g", mode: .privateFile).write([1], at: 0) }
        try file.write(Array("OVER".utf8), at: 0)
        disk.capacity = 20
        try file.write(Array("fghi".utf8), at: 16)
        #expect(try disk.freeSpace(at: "/d") == 0)
        try file.truncate(to: 4)
        #expect(try disk.freeSpace(at: "/d") == 16)
        #expect(try disk.remove("/d/f"))
        #expect(try disk.freeSpace(at: "/d") == 16, "an open file keeps its bytes")
    }
}
