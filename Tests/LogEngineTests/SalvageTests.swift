import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

private let store = "/store"
private let out = "/out"

/// Debug builds take every fifth bit, so that each place in a byte has its turn.
#if DEBUG
    private let bitStride = 5
#else
    private let bitStride = 1
#endif

private func directory(_ disk: SimulatedDisk, _ path: String = store) -> StoreDirectory {
    StoreDirectory(path: path, fileSystem: disk)
}

/// The ids and values of a store that opens, or the error.
private func state(_ disk: SimulatedDisk, _ path: String = store) throws(EngineError) -> [String: String] {
    guard case .store(let plan) = try Recovery.plan(directory(disk, path)) else { return [:] }
    var reader = ValueReader(directory(disk, path), plan.files)
    var state: [String: String] = [:]
    for slot in plan.index.liveSlots() {
        let value = try reader.value(at: plan.index.location(at: slot))
        state[plan.index.id(at: slot).description] = String(decoding: value, as: UTF8.self)
    }
    return state
}

private func salvage(_ disk: SimulatedDisk) throws(EngineError) -> SalvageReport {
    var salvage = try Salvage(of: directory(disk))
    return try salvage.write(
        to: directory(disk, out),
        store: "00000000-0000-4000-8000-000000000000",
        fileMode: .privateFile,
        directoryMode: .privateDirectory
    )
}

/// Three generations: logs 1 to 3 and snapshots 2 and 3, with overwrites, deletes, batches and marks.
private func threeGenerations() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    var log = LogBuilder()
    log.header(.log, generation: 1)
    for index in 1...4 { log.put("a\(index)", "{\"n\":\(index)}") }
    log.delete("a4", synced: SequenceNumber(4))
    disk.setContents("\(store)/log-0000000001.jsonl", log.bytes)
    for generation in UInt64(2)...3 {
        let first = SequenceNumber(generation == 2 ? 6 : 11)
        var header = FileHeader(
            kind: .snapshot,
            store: LogBuilder.store,
            generation: generation,
            firstSequenceNumber: first,
            deletesSince: first,
            time: 1_796_000_000_000
        )
        guard case .store(let plan) = try Recovery.plan(directory(disk)) else {
            fatalError("There is a store.")
        }
        let merged = try Compactor(directory(disk), mode: .privateFile).merge(plan.files, into: header)
        #expect(merged.generation == generation)
        header.kind = .log
        var log = LogBuilder()
        log.header(.log, generation: generation, firstSequenceNumber: first)
        log.put("b\(generation)", "{\"g\":\(generation)}")
        log.put("a1", "{\"g\":\(generation)}", synced: first)
        log.put("a2", "{\"batch\":\(generation)}", more: true)
        log.put("a3", "{\"batch\":\(generation)}")
        log.mark()
        disk.setContents("\(store)/log-\(String(repeating: "0", count: 9))\(generation).jsonl", log.bytes)
    }
    return disk
}

private func files(_ disk: SimulatedDisk) -> [String: [UInt8]] {
    Dictionary(
        uniqueKeysWithValues: disk.sortedNames(in: store).map {
            ($0, disk.contents(of: "\(store)/\($0)") ?? [])
        }
    )
}

/// The numbers of the records that stand sound, in order and outside damaged lines in a log.
private func soundNumbers(_ bytes: [UInt8]) -> Set<UInt64> {
    var numbers: Set<UInt64> = []
    for line in ByteFile(bytes).items() {
        if case .record(let record) = line.content, !line.place.isInsideDamagedLine {
            numbers.insert(record.head.sequenceNumber.rawValue)
        }
    }
    return numbers
}

@Suite("Salvage")
struct SalvageTests {
    @Test("A sound store is saved whole, with its numbers and in a store of its own")
    func sound() throws {
        let disk = try threeGenerations()
        let before = files(disk)
        let expected = try state(disk)
        let report = try salvage(disk)
        #expect(report.isComplete && report.liveRecords == 5)
        #expect(try state(disk, out) == expected)
        #expect(report.generation == 4 && report.firstSequenceNumber == SequenceNumber(16))
        #expect(files(disk) == before)
        #expect(
            disk.sortedNames(in: out).filter { $0 != "lock" } == [
                "log-0000000004.jsonl", "snapshot-0000000004.jsonl",
            ]
        )
    }

    @Test("Every flipped bit opens to the exact state or is refused, and salvage keeps every sound record")
    func everyFlippedBit() throws {
        let sound = try threeGenerations()
        let exact = try state(sound)
        var refused = 0
        var rebuilt = 0
        for name in ["snapshot-0000000003.jsonl", "log-0000000003.jsonl", "log-0000000002.jsonl"] {
            let bytes = try #require(sound.contents(of: "\(store)/\(name)"))
            for bit in stride(from: 0, to: bytes.count * 8, by: bitStride) {
                let disk = sound.copy()
                var damaged = bytes
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                disk.setContents("\(store)/\(name)", damaged)
                do throws(EngineError) {
                    let found = try state(disk)
                    if case .store(let plan) = try Recovery.plan(directory(disk)), plan.rebuild != nil {
                        rebuilt += 1
                    }
                    let isAmbiguous = name == "log-0000000003.jsonl" && !isCovered(bit / 8, bytes)
                    #expect(found == exact || isAmbiguous, "bit \(bit) of \(name): \(found)")
                } catch {
                    refused += 1
                    #expect(error.code == .corruption || error.code == .newerFormat, "bit \(bit) of \(name)")
                    #expect(
                        error.corruption.map { $0.file == name } ?? true,
                        "bit \(bit) of \(name): \(error)"
                    )
                    guard error.code == .corruption else { continue }
                    try expectSalvage(disk, name, damaged, "bit \(bit) of \(name)")
                }
            }
        }
        #expect(refused > 1_000 / bitStride && rebuilt > 1_000 / bitStride)
    }

    /// Whether a byte stands before the last line, whose loss no later line can tell.
    private func isCovered(_ offset: Int, _ bytes: [UInt8]) -> Bool {
        let last = bytes.dropLast().lastIndex(of: 0x0A) ?? 0
        return offset <= last
    }

    private func expectSalvage(_ disk: SimulatedDisk, _ name: String, _ damaged: [UInt8], _ context: String)
        throws
    {
        let before = files(disk)
        let report = try salvage(disk)
        #expect(files(disk) == before, "\(context)")
        #expect(!report.isComplete, "\(context)")
        let saved = try state(disk, out)
        // Every sound record of the damaged log that is the last of its id and in no broken batch.
        let leftOut = Set(report.leftOut.map(\.sequenceNumber.rawValue))
        let snapshot = try #require(disk.contents(of: "\(out)/snapshot-0000000004.jsonl"))
        let kept = soundNumbers(snapshot)
        for number in soundNumbers(damaged) where !leftOut.contains(number) {
            let line = ByteFile(damaged).items().first { line in
                if case .record(let record) = line.content {
                    record.head.sequenceNumber.rawValue == number
                } else {
                    false
                }
            }
            guard case .record(let record) = try #require(line).content, record.operation == .put else {
                continue
            }
            let isNewest = kept.contains(number)
            let isReplaced = saved[String(decoding: record.id, as: UTF8.self)] != nil
            #expect(isNewest || isReplaced, "\(context): record \(number)")
        }
    }

    @Test("A batch with a missing member is left out whole and listed")
    func brokenBatch() throws {
        let disk = SimulatedDisk()
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        log.put("b", "2", more: true)
        let middle = log.put("c", "3", more: true)
        log.put("d", "4")
        log.put("e", "5", synced: SequenceNumber(4))
        var bytes = log.bytes
        bytes[middle.lowerBound + 40] ^= 1
        disk.setContents("\(store)/log-0000000001.jsonl", bytes)
        #expect(throws: EngineError.self) { try state(disk) }
        let report = try salvage(disk)
        #expect(report.missing == [3...3])
        #expect(report.leftOut.map(\.sequenceNumber) == [SequenceNumber(2)])
        #expect(report.leftOut.map(\.reason) == [.brokenBatch])
        #expect(report.faults.count == 1)
        #expect(report.faults.first?.lost?.sequenceNumber == SequenceNumber(3))
        #expect(try state(disk, out).keys.sorted() == ["\"a\"", "\"d\"", "\"e\""])
    }

    @Test("A record inside a damaged line is reported and not kept")
    func insideDamagedLine() throws {
        let disk = SimulatedDisk()
        var log = LogBuilder()
        log.header()
        log.put("a", "1")
        let first = log.put("b", "2")
        log.put("c", "3")
        log.put("d", "4", synced: SequenceNumber(3))
        var bytes = log.bytes
        bytes[first.upperBound - 1] = 0x20
        disk.setContents("\(store)/log-0000000001.jsonl", bytes)
        let report = try salvage(disk)
        #expect(report.leftOut.map(\.reason) == [.insideDamagedLine])
        #expect(report.missing == [2...3])
        #expect(try state(disk, out).keys.sorted() == ["\"a\"", "\"d\""])
        #expect(report.firstSequenceNumber == SequenceNumber(5))
    }

    @Test("A missing log is listed by its numbers, and what stands around it is kept")
    func missingLog() throws {
        let disk = try threeGenerations()
        disk.removeContents("\(store)/log-0000000002.jsonl")
        disk.removeContents("\(store)/snapshot-0000000003.jsonl")
        #expect(throws: EngineError.self) { try state(disk) }
        let report = try salvage(disk)
        #expect(report.missing == [6...10])
        #expect(try state(disk, out)["\"b3\""] == "{\"g\":3}")
    }

    @Test("A lost header is made anew, and a file of another store is left out")
    func headers() throws {
        let disk = try threeGenerations()
        var bytes = try #require(disk.contents(of: "\(store)/log-0000000003.jsonl"))
        bytes[20] ^= 1
        disk.setContents("\(store)/log-0000000003.jsonl", bytes)
        let exact = try state(try threeGenerations())
        #expect(try salvage(disk).faults.count == 1)
        #expect(try state(disk, out) == exact)

        let other = try threeGenerations()
        var foreign = LogBuilder()
        foreign.header(
            .log,
            store: "ffffffff-9d47-4a6b-8e21-5c0d9a7b6f14",
            generation: 4,
            firstSequenceNumber: SequenceNumber(16)
        )
        foreign.put("foreign", "0")
        other.setContents("\(store)/log-0000000004.jsonl", foreign.bytes)
        #expect(try salvage(other).faults.map(\.file) == ["log-0000000004.jsonl"])
        #expect(try state(other, out) == exact)
    }

    @Test("Salvage does not write into a directory that holds something")
    func occupied() throws {
        let disk = try threeGenerations()
        disk.setContents("\(out)/something", [1])
        let error = #expect(throws: EngineError.self) { try salvage(disk) }
        #expect(error?.code == .targetExists)
    }
}
