import LogStorage
import TestSupport
import Testing

/// What a power cut leaves of names.
@Suite struct SimulatedNamesTests {
    /// The files that each combination of survivors leaves.
    private func everyOutcome(_ disk: SimulatedDisk) throws -> Set<[String: [UInt8]]> {
        Set(try #require(disk.everySurvivors(limit: 5000)).map { disk.afterPowerCut($0).files })
    }

    @Test func aNewNameIsStableOnlyOnceItsDirectoryIsSynced() throws {
        let disk = SimulatedDisk(file: "f")
        let file = try disk.create("/d/g", mode: .privateFile)
        try file.write([7], at: 0)
        try file.sync()
        #expect(try everyOutcome(disk) == [["/d/f": [0x66]], ["/d/f": [0x66], "/d/g": [7]]])
        try disk.syncDirectory("/d")
        #expect(disk.afterPowerCut(.nothingUnsynced).contents(of: "/d/g") == [7])
        #expect(disk.survivorCount() == 1)
    }

    @Test func aSyncedNameDoesNotMakeItsBytesStable() throws {
        let disk = SimulatedDisk(file: "f")
        try disk.create("/d/g", mode: .privateFile).write([7], at: 0)
        try disk.syncDirectory("/d")
        #expect(disk.afterPowerCut(.nothingUnsynced).contents(of: "/d/g") == [])
    }

    @Test func aRenameReachesTheDiskWholeOrNotAtAll() throws {
        let disk = SimulatedDisk(file: "old")
        disk.setContents("/d/t", [7])
        try disk.rename("/d/t", to: "/d/f")
        #expect(
            try everyOutcome(disk) == [["/d/f": Array("old".utf8), "/d/t": [7]], ["/d/f": [7]]]
        )
        try disk.syncDirectory("/d")
        #expect(try everyOutcome(disk) == [["/d/f": [7]]])
    }

    @Test func namesReachTheDiskInAnyOrderAndEachNamesChangesInTheirs() throws {
        let disk = SimulatedDisk(file: "f")
        _ = try disk.create("/d/a", mode: .privateFile)
        try disk.rename("/d/a", to: "/d/b")
        _ = try disk.remove("/d/f")
        let outcomes = Set(try everyOutcome(disk).map { $0.keys.sorted() })
        #expect(
            outcomes == [["/d/f"], ["/d/a", "/d/f"], ["/d/b", "/d/f"], [], ["/d/a"], ["/d/b"]]
        )
        for seed in 0..<500 as Range<UInt64> {
            #expect(outcomes.contains(disk.afterPowerCut(.random(seed: seed)).paths), "seed \(seed)")
        }
    }

    @Test func theChangesOfOneNameReachTheDiskInTheirOrder() throws {
        let disk = SimulatedDisk(file: "old")
        disk.setContents("/d/t", [7])
        try disk.rename("/d/t", to: "/d/f")
        _ = try disk.remove("/d/f")
        #expect(
            try everyOutcome(disk) == [["/d/f": Array("old".utf8), "/d/t": [7]], ["/d/f": [7]], [:]]
        )
    }

    @Test func aRemovedFileComesBackWithItsDurableBytes() throws {
        let disk = SimulatedDisk(file: "old")
        try disk.writable("/d/f").write(Array("new".utf8), at: 0)
        #expect(try disk.remove("/d/f"))
        #expect(disk.contents(of: "/d/f") == nil)
        #expect(disk.durableContents(of: "/d/f") == Array("old".utf8))
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "old")
        try disk.syncDirectory("/d")
        #expect(disk.afterPowerCut(.nothingUnsynced).contents(of: "/d/f") == nil)
    }

    @Test func aDirectoryIsLostWithAllInItUnlessItsParentIsSynced() throws {
        let disk = SimulatedDisk()
        _ = try disk.createDirectory("/a", mode: .privateDirectory)
        _ = try disk.createDirectory("/a/b", mode: .privateDirectory)
        try disk.create("/a/b/f", mode: .privateFile).sync()
        try disk.syncDirectory("/a/b")
        try disk.syncDirectory("/a")
        #expect(try disk.afterPowerCut(.nothingUnsynced).names(in: "/") == [])
        try disk.syncDirectory("/")
        #expect(disk.afterPowerCut(.nothingUnsynced).paths == ["/a/b/f"])
    }

    @Test func aFailedSyncOfADirectoryIsNotMadeGoodByTheNext() throws {
        let disk = SimulatedDisk(file: "f")
        disk.setContents("/d/t", [7])
        try disk.rename("/d/t", to: "/d/f")
        disk.fail(.nth(.syncDirectory, 0), code: 5)
        #expect(throws: StorageError.self) { try disk.syncDirectory("/d") }
        try disk.syncDirectory("/d")
        #expect(disk.afterPowerCut(.nothingUnsynced).paths == ["/d/f", "/d/t"])
        #expect(disk.afterPowerCut(.everything).paths == ["/d/f"])
    }

    @Test func manyReplacementsLeaveNothingBehind() throws {
        let disk = SimulatedDisk(file: "f")
        disk.capacity = 1000
        for _ in 0..<200 {
            try disk.create("/d/t", mode: .privateFile).write([UInt8](repeating: 1, count: 300), at: 0)
            try disk.rename("/d/t", to: "/d/f")
            try disk.syncDirectory("/d")
        }
        #expect(disk.usedBytes == 300)
        #expect(disk.afterPowerCut(.nothingUnsynced).paths == ["/d/f"])
    }

    @Test(arguments: ["/d/f", "//d//f", "/d/./f", "d/f", "./d/f", "/d/x/../f", "/d/f/"])
    func everySpellingOfAPathMeansTheSameFile(_ path: String) throws {
        #expect(SimulatedDisk(file: "text").text(path) == "text")
    }
}
