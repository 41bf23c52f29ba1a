import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

#if DEBUG
    private let seeds: Range<UInt64> = 0..<400
#else
    private let seeds: Range<UInt64> = 0..<4000
#endif

/// Stores that were damaged in every way a person, a disk or a program can.
@Suite("walstore repair, hostile")
struct HostileStoreTests {
    @Test("Whatever was done to a store, what is saved verifies, opens, and holds nothing new")
    func anyDamage() throws {
        let sound = try threeGenerations()
        let lines = Set(sound.meaningfulFiles.values.flatMap { Self.lines($0) })
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let disk = sound.copy()
            for _ in 0..<Int.random(in: 1...5, using: &generator) { damage(disk, &generator) }
            let before = disk.files
            let tool = Tool.on(disk)
            let result = tool("repair", "/store", "--out", "/saved", "--json")
            #expect([0, 3, 66].contains(result.code), "seed \(seed): \(result.diagnostics)")
            #expect(before.allSatisfy { disk.contents(of: $0.key) == $0.value }, "seed \(seed)")
            _ = try result.objects()
            guard result.code == 0 else { continue }
            let verified = tool("verify", "/saved")
            #expect(verified.code == 0, "seed \(seed): \(verified.output)")
            _ = try disk.state("/saved")
            // The damage makes no line with a checksum that holds, but for those that were there.
            let saved = disk.files.filter { $0.key.hasPrefix("/saved/snapshot") }
            for line in saved.values.flatMap({ Self.lines($0) }).dropFirst().dropLast() {
                #expect(lines.contains(line), "seed \(seed): \(String(decoding: line, as: UTF8.self))")
            }
            #expect(tool("compact", "/saved").code == 0, "seed \(seed)")
            #expect(tool("verify", "/saved").code == 0, "seed \(seed)")
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0x0A).map { Array($0) }
    }

    private func damage(_ disk: SimulatedDisk, _ generator: inout SeededGenerator) {
        let paths = disk.meaningfulFiles.keys.sorted()
        guard let path = paths.randomElement(using: &generator),
            let other = paths.randomElement(using: &generator),
            var bytes = disk.contents(of: path)
        else {
            return
        }
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let from = Int.random(in: 0..<lines.count, using: &generator)
        let to = Int.random(in: 0..<lines.count, using: &generator)
        let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
        case 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.replaceSubrange(place..., with: [UInt8](repeating: 0, count: bytes.count - place))
        case 3: return disk.removeContents(path)
        case 4: return disk.setContents(path, disk.contents(of: other) ?? [])
        case 5: bytes.removeSubrange(place..<min(place + 200, bytes.count))
        case 6:
            lines.swapAt(from, to)
            bytes = Array(lines.joined(separator: [0x0A]))
        case 7:
            lines.insert(lines[from], at: to)
            bytes = Array(lines.joined(separator: [0x0A]))
        case 8:
            lines.remove(at: from)
            bytes = Array(lines.joined(separator: [0x0A]))
        default:
            let strange = Self.lines(disk.contents(of: other) ?? [])
            if let line = strange.randomElement(using: &generator) { lines.insert(line, at: to) }
            bytes = Array(lines.joined(separator: [0x0A]))
        }
        disk.setContents(path, bytes)
    }

    /// Logs 1 to 3 and snapshots 2 and 3, with overwrites, deletes, batches and marks.
    private func threeGenerations() throws -> SimulatedDisk {
        var log = LogBuilder()
        log.header()
        let disk = SimulatedDisk.holding(log)
        let directory = StoreDirectory(path: "/store", fileSystem: disk)
        for round in 1...3 {
            let store = try UntypedStore(directory, note: "test", now: { 1_796_000_000_000 })
            for index in 0..<6 {
                let value = Array("{\"round\":\(round),\"n\":\(index)}".utf8)
                let put = EncodedMutation(
                    id: CanonicalID("id\(index * round % 7)"),
                    operation: .put(value: value, schema: 1)
                )
                let delete = EncodedMutation(id: CanonicalID("id\(index)"), operation: .delete)
                try store.append(index == 4 ? [put, delete, put] : [put])
            }
            if round < 3 { _ = try store.compact(retention: 9) }
            try store.close()
        }
        return disk
    }
}
