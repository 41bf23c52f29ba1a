import Foundation
import LogFormat
import LogStorage
import TestSupport
import Testing

@testable import WALStore

@Suite struct OnDemandTests {
    private func lazily<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await TestLoading.$current.withValue(.onDemand, operation: body)
    }

    /// What the body says, and whether it took a call of the disk.
    private func reads(_ disk: SimulatedDisk, _ body: () async -> Bool) async -> (holds: Bool, fromDisk: Bool)
    {
        let before = disk.callCount
        let holds = await body()
        return (holds, disk.callCount > before)
    }

    /// A closed store of so many notes.
    private func filled(_ count: Int) async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let repository = try open(on: disk)
        try await repository.save(contentsOf: (0..<count).map { Note("n\($0)", "\($0)") })
        try await repository.close()
        return disk
    }

    @Test func anItemIsReadWhenItIsFirstAskedForAndThenStaysInMemory() async throws {
        let disk = try await filled(1_000)
        try await lazily {
            let repository = try open(on: disk)
            #expect(await repository.count == 1_000)
            #expect(await repository.contains("n7"))
            #expect(await !repository.contains("n1000"))
            #expect(await reads(disk) { await repository.find(by: "n7")?.text == "7" } == (true, true))
            #expect(await reads(disk) { await repository.find(by: "n7")?.text == "7" } == (true, false))
            #expect(await reads(disk) { await repository.find(by: "none") == nil } == (true, false))
            #expect(await repository.count == 1_000)
            #expect(await repository.texts.count == 1_000)
            #expect(await reads(disk) { await repository.loadAll().count == 1_000 } == (true, false))
        }
    }

    @Test func againstAModelOverSavesDeletesCompactionsAndLives() async throws {
        var random = SeededGenerator(seed: 7)
        let disk = SimulatedDisk()
        var model: [String: String] = [:]
        try await lazily {
            for life in 0..<30 {
                let repository = try open(on: disk)
                #expect(await repository.count == model.count, "life \(life)")
                for step in 0..<60 {
                    let id = ["a", "é", "e\u{301}", "k", "\u{212A}", "n\(random.below(30))"][random.below(6)]
                    let context: Comment = "life \(life), step \(step), \(id)"
                    switch random.below(10) {
                    case 0..<3:
                        try await repository.save(Note(id, "\(life)-\(step)"))
                        model[id] = "\(life)-\(step)"
                    case 3:
                        try await repository.delete(id)
                        model[id] = nil
                    case 4:
                        try await repository.update(id) { $0 = Note($0?.id ?? id, ($0?.text ?? "") + "+") }
                        model[id, default: ""] += "+"
                    case 5 where step % 7 == 0: try await repository.compact()
                    case 6: #expect(await repository.contains(id) == (model[id] != nil), context)
                    default: #expect(await repository.find(by: id)?.text == model[id], context)
                    }
                    #expect(await repository.count == model.count, context)
                }
                if life % 5 == 0 {
                    #expect(
                        await repository.filter { $0.text.hasPrefix("\(life)") }.count
                            == model.values.count { $0.hasPrefix("\(life)") }
                    )
                    #expect(await repository.texts == model)
                }
                if life % 2 == 0 { try await repository.close() }
            }
        }
        #expect(try await open(on: disk).texts == model)
    }

    /// The files that the items stand in are removed by the second compaction after theirs.
    @Test func itemsThatWereNeverAskedForAreFoundAfterTheirFilesAreGone() async throws {
        let disk = try await filled(300)
        try await lazily {
            let repository = try open(on: disk)
            for round in 0..<4 {
                try await repository.save(Note("new \(round)", "x"))
                try await repository.compact()
                #expect(await repository.find(by: "n\(round)")?.text == "\(round)")
            }
            #expect(!disk.sortedNames(in: Place.store).contains("log-0000000001.jsonl"))
            for number in 0..<300 { #expect(await repository.find(by: "n\(number)")?.text == "\(number)") }
        }
    }

    @Test func whatCannotBeDecodedIsNilListedAndKept() async throws {
        var builder = LogBuilder()
        builder.header()
        builder.put("good", #"{"id":"good","text":"1"}"#)
        builder.put("bad", #"{"id":"bad","number":7}"#)
        builder.put(CanonicalID(17), #"{"id":17}"#)
        let disk = SimulatedDisk()
        disk.setContents(Place.log, builder.bytes)
        try await lazily {
            // The default policy: an eager store would be refused.
            let repository = try open(on: disk)
            #expect(repository.recovery.undecodable.map(\.id) == ["17"])
            #expect(await repository.count == 2, "it is not known yet")
            #expect(await repository.find(by: "bad") == nil)
            #expect(await repository.find(by: "bad") == nil)
            #expect(await repository.undecodable.map(\.id) == ["17", #""bad""#])
            #expect(await repository.count == 1)
            #expect(await repository.loadAll().map(\.id) == ["good"])
            try await repository.compact()
            try await repository.close()
            #expect(try open(on: disk).recovery.undecodable.map(\.id) == ["17"])
        }
        let snapshot = disk.contents(of: "\(Place.store)/snapshot-0000000002.jsonl")
        #expect(text(snapshot ?? []).contains(#"{"id":"bad","number":7}"#))
    }

    @Test func aReadErrorGivesNilAndIsListedAndATransactionThrowsItAndWritesNothing() async throws {
        let disk = try await filled(10)
        try await lazily {
            let repository = try open(on: disk)
            disk.fail(.every(.read), code: EIO)
            #expect(await repository.find(by: "n1") == nil)
            #expect(await repository.undecodable.count == 1)
            let written = await repository.statistics.recordsWritten
            #expect(await code { try await repository.update("n1") { $0 = Note("n1", "new") } } == .io)
            #expect(await code { try await repository.transaction { $0.save(Note("n2", "new")) } } == .io)
            #expect(await repository.statistics.recordsWritten == written)
            disk.clearFaults()
            #expect(await repository.find(by: "n1")?.text == "1")
            #expect(await repository.count == 10)
        }
    }

    @Test func bytesThatRotAfterOpeningAreNeverServed() async throws {
        let disk = try await filled(10)
        let bytes = try #require(disk.contents(of: Place.log))
        try await lazily {
            let repository = try open(on: disk)
            var rotten = try #require(disk.contents(of: Place.log))
            let place = try #require(text(rotten).range(of: #""text":"4""#)?.lowerBound)
            let offset = text(rotten).utf8.distance(from: text(rotten).startIndex, to: place)
            rotten[offset + 8] = UInt8(ascii: "5")
            disk.setContents(Place.log, rotten)
            #expect(await repository.find(by: "n4") == nil)
            #expect(await repository.find(by: "n5")?.text == "5")
            let cause = await repository.undecodable.first?.cause as? StoreError
            #expect(cause?.code == .corruption)
        }
        #expect(bytes.count > 0)
    }

    @Test func twoLiveSpellingsOfOneIDAreRefusedAndNothingIsChanged() async throws {
        for (first, second) in [("caf\u{e9}", "cafe\u{301}"), ("K", "\u{212A}")] {
            var builder = LogBuilder()
            builder.header()
            builder.put(first, #"{"id":"\#(first)","text":"1"}"#)
            builder.put(second, #"{"id":"\#(second)","text":"2"}"#)
            let disk = SimulatedDisk()
            disk.setContents(Place.log, builder.bytes)
            await lazily {
                #expect(await code { _ = try open(on: disk) } == .ambiguousID)
            }
            #expect(disk.contents(of: Place.log) == builder.bytes)
        }
    }

    @Test func uuidsAndIntegersAreFoundInWhateverSpellingTheyHave() async throws {
        struct Thing: Codable, Identifiable, Sendable { var id: UUID }
        struct Counted: Codable, Identifiable, Sendable { var id: Int }
        let id = UUID()
        var builder = LogBuilder()
        builder.header()
        builder.put(id.uuidString.lowercased(), #"{"id":"\#(id.uuidString)"}"#)
        let disk = SimulatedDisk()
        disk.setContents(Place.log, builder.bytes)
        var counted = LogBuilder()
        counted.header()
        counted.put(CanonicalID(Int.max), #"{"id":\#(Int.max)}"#)
        counted.put(CanonicalID(-3), #"{"id":-3}"#)
        let other = SimulatedDisk()
        other.setContents(Place.log, counted.bytes)
        try await lazily {
            let things = try open(Thing.self, on: disk)
            #expect(await things.find(by: id)?.id == id)
            try await things.save(Thing(id: id))
            try await things.close()
            #expect(
                await (try open(Thing.self, on: disk)).count == 1,
                "it was saved in the spelling that it has"
            )
            let numbers = try open(Counted.self, on: other)
            #expect(await numbers.find(by: Int.max) != nil)
            #expect(await numbers.find(by: -3) != nil)
            #expect(await numbers.find(by: 3) == nil)
        }
    }

    /// The table holds for every character there is: an equality that it misses would make two records of one id.
    @Test func onlyThreeCharactersOutsideOfASCIIEqualOneWithin() {
        let ascii = Dictionary(
            uniqueKeysWithValues: (0..<0x80).map { (String(Unicode.Scalar(UInt8($0))), $0) }
        )
        var found: [Unicode.Scalar: Unicode.Scalar] = [:]
        for value in 0x80...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value), let equal = ascii[String(scalar)] else { continue }
            found[scalar] = Unicode.Scalar(UInt8(equal))
        }
        #expect(found == ASCIIEqual.scalars)
    }
}
