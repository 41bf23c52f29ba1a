import Foundation
import TestSupport
import Testing
import WALStore

private struct Plain: Codable, Identifiable, Sendable {
    var id: String
    var number: Int?
}

private struct Strict: Codable, Identifiable, Sendable {
    var id: String
    var number: Int
}

/// An id that compares like no string does: each spelling is its own id.
private struct Exact: Codable, Identifiable, Sendable {
    struct ID: Codable, Hashable, Sendable {
        var bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }

        init(from decoder: any Decoder) throws {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: bytes, as: UTF8.self))
        }
    }

    var id: ID
}

private let place = URL(filePath: "/data")

private func configuration(_ disk: SimulatedDisk) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    configuration.compaction = .manual
    return configuration
}

@Suite("Loading")
struct LoadingTests {
    /// Values are decoded many at a time; one that fails must take none of its neighbours with it, and be
    /// named with its own reason.
    @Test("Undecodable records among many are listed alone", arguments: [1, 99, 100, 101, 250, 4_321])
    func undecodableAmongMany(count: Int) async throws {
        let disk = SimulatedDisk()
        let bad = Set([0, count / 2, count - 1])
        let first = try LocalRepository<Plain>(directory: place, configuration: configuration(disk))
        try await first.save(
            contentsOf: (0..<count).map { Plain(id: "p\($0)", number: bad.contains($0) ? nil : $0) }
        )
        try await first.close()

        let error = #expect(throws: StoreError.self) {
            try LocalRepository<Strict>(directory: place, configuration: configuration(disk))
        }
        #expect(error?.code == .undecodable)

        var carrying = configuration(disk)
        carrying.undecodable = .carryForward
        let second = try LocalRepository<Strict>(directory: place, configuration: carrying)
        #expect(second.recovery.undecodable.map(\.id) == bad.sorted().map { "\"p\($0)\"" })
        #expect(second.recovery.undecodable.map(\.sequenceNumber) == bad.sorted().map { UInt64($0 + 1) })
        #expect(second.recovery.undecodable.allSatisfy { $0.cause is DecodingError })
        let items = await second.loadAll()
        #expect(items.count == count - bad.count)
        #expect(items.allSatisfy { $0.id == "p\($0.number)" })
    }

    /// "é" in two normal forms is one `String` and two ids on disk.
    @Test("Two live spellings that are equal in Swift are refused, both named")
    func ambiguousSpellings() async throws {
        let disk = SimulatedDisk()
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let exact = try LocalRepository<Exact>(directory: place, configuration: configuration(disk))
        for text in ["a", composed, "b", decomposed] { try await exact.save(Exact(id: Exact.ID(text))) }
        try await exact.close()

        var carrying = configuration(disk)
        carrying.undecodable = .carryForward
        let error = #expect(throws: StoreError.self) {
            try LocalRepository<Plain>(directory: place, configuration: carrying)
        }
        #expect(error?.code == .ambiguousID)
        let message = Array((error?.message ?? "").utf8)
        for text in [composed, decomposed] {
            #expect(message.firstRange(of: Array("\"\(text)\"".utf8)) != nil)
        }
    }
}
