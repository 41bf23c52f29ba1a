import LogStorage
import TestSupport
import Testing

/// What a power cut leaves of the bytes of files.
@Suite struct SimulatedBytesTests {
    @Test func unsyncedBytesAreVisibleButNotDurable() throws {
        let disk = SimulatedDisk(file: "old")
        let file = try disk.writable("/d/f")
        try file.write(Array("new!".utf8), at: 0)
        #expect(disk.text("/d/f") == "new!")
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "old")
        #expect(disk.afterPowerCut(.everything).text("/d/f") == "new!")
        #expect(disk.afterKill().text("/d/f") == "new!")
        #expect(disk.afterKill().afterPowerCut(.nothingUnsynced).text("/d/f") == "old")
    }

    @Test func everySyncedByteSurvivesEveryPowerCut() throws {
        let disk = SimulatedDisk(file: "abc")
        let file = try disk.writable("/d/f")
        try file.write(Array("DEF".utf8), at: 3)
        try file.sync()
        try file.write(Array("ghijklmnop".utf8), at: 6)
        for seed in 0..<2000 as Range<UInt64> {
            let left = disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f") ?? []
            #expect(left.starts(with: Array("abcDEF".utf8)), "seed \(seed)")
        }
    }

    @Test func aPowerCutHarmsNoByteOutsideOfTheWritesRange() throws {
        let disk = SimulatedDisk(file: String(repeating: "x", count: 40))
        let file = try disk.writable("/d/f")
        try file.write(Array("0123456789".utf8), at: 10)
        try file.write(Array("abcdef".utf8), at: 25)
        let inside = Array(10..<20) + Array(25..<31)
        for seed in 0..<2000 as Range<UInt64> {
            let left = disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f") ?? []
            #expect(left.count == 40, "seed \(seed)")
            #expect(left.indices.allSatisfy { inside.contains($0) || left[$0] == 0x78 }, "seed \(seed)")
        }
    }

    @Test func randomPowerCutsShowEveryKindOfDamage() throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        let one = Array("0123456789".utf8)
        let two = Array("abcdefghij".utf8)
        try file.write(one, at: 0)
        try file.write(two, at: 10)
        var seen: Set<[UInt8]> = []
        for seed in 0..<5000 as Range<UInt64> {
            seen.insert(disk.afterPowerCut(.random(seed: seed)).contents(of: "/d/f") ?? [])
        }
        let nuls = [UInt8](repeating: 0, count: 10)
        #expect(seen.contains([]))
        #expect(seen.contains(one + two))
        #expect(seen.contains(nuls + two), "the second write landed first")
        #expect(seen.contains(nuls + nuls), "the size grew, the data did not")
        #expect(seen.contains(one + nuls))
        for length in 1..<20 { #expect(seen.contains(Array((one + two)[..<length])), "torn at \(length)") }
        #expect(seen.contains { $0.count == 20 && $0.difference(in: one + two) == 1 }, "a flipped bit")
        #expect(
            seen.contains { Set($0).isSuperset(of: [0x80, 0xFF]) || $0.contains { $0 > 0x80 } },
            "garbage"
        )
    }

    @Test func truncationIsLostOrKeptAndTheSyncMakesItStable() throws {
        let disk = SimulatedDisk(file: "0123456789")
        let file = try disk.writable("/d/f")
        try file.truncate(to: 4)
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "0123456789")
        #expect(disk.afterPowerCut(.everything).text("/d/f") == "0123")
        let all = try #require(disk.everySurvivors(limit: 10)).map { disk.afterPowerCut($0) }
        #expect(
            Set(all.map { $0.text("/d/f") }) == ["0123456789", "0123", "0123\0\0\0\0\0\0"]
        )
        try file.sync()
        #expect(disk.afterPowerCut(.nothingUnsynced).text("/d/f") == "0123")
    }

    @Test func everySurvivorSetIsNumberedOnce() throws {
        let disk = SimulatedDisk(file: "")
        let file = try disk.writable("/d/f")
        try file.write(Array("ab".utf8), at: 0)
        try file.write(Array("cd".utf8), at: 2)
        _ = try disk.create("/d/g", mode: .privateFile)
        #expect(disk.survivorCount() == 18)
        #expect(disk.everySurvivors(limit: 17) == nil)
        let all = try #require(disk.everySurvivors(limit: 18))
        let states = all.map { disk.afterPowerCut($0).files }
        #expect(Set(states).count == 18)
        #expect(states == all.map { disk.afterPowerCut($0).files }, "the same number gives the same state")
    }
}

extension [UInt8] {
    /// The number of bits that differ.
    fileprivate func difference(in other: [UInt8]) -> Int {
        zip(self, other).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    }
}
