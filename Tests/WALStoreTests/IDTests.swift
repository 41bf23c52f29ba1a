import Foundation
import LogFormat
import TestSupport
import Testing
import WALStore

@Suite struct IDTests {
    private enum Word: String, Codable { case one, two }
    private enum Number: Int, Codable { case one = 1, minus = -2 }

    private struct TextID: Codable, Hashable, Sendable {
        var raw: String
        init(_ raw: String) { self.raw = raw }
        init(from decoder: any Decoder) throws {
            raw = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(raw)
        }
    }

    private struct NumberID: Codable, Hashable, Sendable {
        var raw: UInt64
        init(_ raw: UInt64) { self.raw = raw }
        init(from decoder: any Decoder) throws {
            raw = try decoder.singleValueContainer().decode(UInt64.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(raw)
        }
    }

    private struct PairID: Codable, Hashable, Sendable {
        var first = 1
        var second = 2
    }

    /// Saves, overwrites, deletes and reads items with these ids, over three lives of the store.
    private func survive<ID: Codable & Hashable & Sendable>(_ ids: [ID]) async throws {
        let disk = SimulatedDisk()
        var repository = try open(Tagged<ID>.self, on: disk)
        for id in ids { try await repository.save(Tagged(id, "first")) }
        for id in ids { #expect(await repository.find(by: id)?.text == "first", "\(id)") }
        try await repository.close()

        repository = try open(Tagged<ID>.self, on: disk)
        #expect(await repository.count == ids.count)
        for id in ids { #expect(await repository.find(by: id) == Tagged(id, "first"), "\(id)") }
        try await repository.save(contentsOf: ids.map { Tagged($0, "second") })
        try await repository.delete(ids[0])
        try await repository.close()

        repository = try open(Tagged<ID>.self, on: disk)
        #expect(await repository.count == ids.count - 1)
        #expect(await repository.find(by: ids[0]) == nil)
        for id in ids.dropFirst() { #expect(await repository.find(by: id)?.text == "second", "\(id)") }
        try await repository.close()
    }

    @Test func everySupportedKindOfIDSurvives() async throws {
        try await survive(["q-001", "q-002"])
        try await survive([0, -1, Int.max, Int.min])
        try await survive([UInt64.max, 9_007_199_254_740_993, 0])
        try await survive([Int8(-128), 127, 0, -1])
        try await survive([UUID(), UUID()])
        try await survive([Word.one, .two])
        try await survive([Number.one, .minus])
        try await survive([TextID("a/b"), TextID("é\n\"")])
        try await survive([NumberID(.max), NumberID(0)])
        try await survive([Optional("a"), "b"])
    }

    @Test func everyAwkwardTextIsAnIDAndAValue() async throws {
        let texts = [
            "", "\n", "\r\n", "\u{2028}", "\u{2029}", "\u{85}", "\"", "\\", "\\\"", "\0", "a\0b",
            "\u{1}\u{1f}",
            "\u{7f}", "\t\u{8}\u{c}", "😀", "👩‍👩‍👧‍👦", "é", "}", "\"}\n{\"crc\":\"", "/", "\u{FEFF}", "\u{FFFD}",
            "null", "0",
            " ", "\u{10FFFF}", #"{"crc":"00000000","seq":1}"#,
        ]
        try await survive(texts)
        let disk = SimulatedDisk()
        let first = try open(on: disk)
        for value in texts { try await first.save(Note("id \(value)", value)) }
        try await first.close()
        let second = try open(on: disk)
        for value in texts {
            #expect(await second.find(by: "id \(value)")?.text == value, "\(value.debugDescription)")
        }
    }

    @Test func everyControlCharacterIsAnIDAndAValue() async throws {
        let scalars = (0..<0x20).compactMap { Unicode.Scalar($0 as UInt32) }.map { String(Character($0)) }
        try await survive(scalars)
        try await survive(scalars.map { "x\($0)\($0)y" })
    }

    private func refuses<ID: Codable & Hashable & Sendable>(_ id: ID, atOpening: Bool) async throws {
        let disk = SimulatedDisk()
        let name = "\(id) of \(ID.self)"
        if atOpening {
            let error = await storeError { _ = try open(Tagged<ID>.self, on: disk) }
            #expect(error?.code == .unsupportedID, "\(name)")
            #expect(disk.paths.isEmpty, "\(name)")
            return
        }
        let repository = try open(Tagged<ID>.self, on: disk)
        let operations = disk.operationCount
        #expect(await code { try await repository.save(Tagged(id)) } == .unsupportedID, "\(name)")
        #expect(await code { try await repository.delete(id) } == .unsupportedID, "\(name)")
        #expect(disk.operationCount == operations, "\(name)")
        #expect(await repository.count == 0, "\(name)")
    }

    @Test func everyOtherKindOfIDIsRefusedAndWritesNothing() async throws {
        try await refuses(1.0, atOpening: true)
        try await refuses(Float(2), atOpening: true)
        try await refuses(true, atOpening: true)
        try await refuses(PairID(), atOpening: false)
        try await refuses(String?.none, atOpening: false)
        try await refuses(["a"], atOpening: false)
    }

    // MARK: Spellings

    /// The ids of a log's records as they stand in the file.
    private func spellings(_ disk: SimulatedDisk) -> [String] {
        records(disk.contents(of: Place.log)).filter { $0.operation != .mark }.map { text($0.id) }
    }

    @Test func aUUIDThatAnotherProgramSpelledInLowerCaseKeepsItsSpelling() async throws {
        let uuid = UUID()
        let lower = uuid.uuidString.lowercased()
        let other = UUID()
        var builder = LogBuilder()
        builder.header()
        builder.put(lower, #"{"id":"\#(lower)","text":"first"}"#)
        let disk = SimulatedDisk()
        disk.setContents(Place.log, builder.bytes)

        var repository = try open(Tagged<UUID>.self, on: disk)
        #expect(await repository.find(by: uuid)?.text == "first")
        try await repository.save(Tagged(uuid, "second"))
        try await repository.save(Tagged(other, "other"))
        try await repository.close()
        repository = try open(Tagged<UUID>.self, on: disk)
        #expect(await repository.count == 2)
        #expect(await repository.find(by: uuid)?.text == "second")
        try await repository.delete(uuid)
        try await repository.close()
        repository = try open(Tagged<UUID>.self, on: disk)
        #expect(await repository.find(by: uuid) == nil)
        #expect(await repository.count == 1)
        let quoted = "\"\(lower)\""
        #expect(spellings(disk) == [quoted, quoted, "\"\(other.uuidString)\"", quoted])
    }

    private let composed = "caf\u{e9}"
    private let decomposed = "cafe\u{301}"

    @Test func anIDSavedInOneNormalFormAndDeletedInTheOtherStaysDeleted() async throws {
        for (saved, deleted) in [(composed, decomposed), (decomposed, composed)] {
            for reopens in [true, false] {
                let disk = SimulatedDisk()
                var repository = try open(on: disk)
                try await repository.save(Note(saved, "1"))
                if reopens {
                    try await repository.close()
                    repository = try open(on: disk)
                }
                try await repository.delete(deleted)
                #expect(await repository.count == 0)
                try await repository.close()
                repository = try open(on: disk)
                #expect(await repository.count == 0, "reopens: \(reopens)")
                #expect(records(disk.contents(of: Place.log)).contains { $0.operation == .delete })
            }
        }
    }

    @Test func anIDOverwrittenInTheOtherNormalFormHasOneLiveRecord() async throws {
        for (first, second) in [(composed, decomposed), (decomposed, composed)] {
            for reopens in [true, false] {
                let disk = SimulatedDisk()
                var repository = try open(on: disk)
                try await repository.save(Note(first, "1"))
                if reopens {
                    try await repository.close()
                    repository = try open(on: disk)
                }
                try await repository.save(Note(second, "2"))
                try await repository.save(Note(first, "3"))
                try await repository.save(contentsOf: [Note(second, "4"), Note(first, "5")])
                try await repository.close()
                repository = try open(on: disk)
                #expect(await repository.texts == [first: "5"], "reopens: \(reopens)")
            }
        }
    }

    @Test func bothNormalFormsInOneBatchAreOneID() async throws {
        let disk = SimulatedDisk()
        var repository = try open(on: disk)
        try await repository.save(contentsOf: [Note(composed, "1"), Note(decomposed, "2")])
        #expect(await repository.count == 1)
        try await repository.delete(contentsOf: [decomposed, composed])
        try await repository.save(Note(decomposed, "3"))
        try await repository.close()
        repository = try open(on: disk)
        #expect(await repository.texts == [composed: "3"])
    }

    @Test func twoLiveSpellingsOfOneIDAreRefusedByBothNames() async throws {
        let uuid = UUID()
        let pairs = [
            (composed, decomposed, false), (uuid.uuidString, uuid.uuidString.lowercased(), true),
        ]
        for (one, other, isUUID) in pairs {
            var builder = LogBuilder()
            builder.header()
            builder.put(one, #"{"id":"\#(one)","text":"1"}"#)
            builder.put(other, #"{"id":"\#(other)","text":"2"}"#)
            let disk = SimulatedDisk()
            disk.setContents(Place.log, builder.bytes)
            for policy in [StoreConfiguration.UndecodablePolicy.refuse, .carryForward] {
                let error = await storeError {
                    if isUUID {
                        _ = try open(Tagged<UUID>.self, on: disk, undecodable: policy)
                    } else {
                        _ = try open(on: disk, undecodable: policy)
                    }
                }
                #expect(error?.code == .ambiguousID)
                let message = Array((error?.message ?? "").utf8)
                for name in [one, other] { #expect(message.contains(Array(name.utf8)), "\(name)") }
                #expect(disk.contents(of: Place.log) == builder.bytes)
            }
        }
    }
}
