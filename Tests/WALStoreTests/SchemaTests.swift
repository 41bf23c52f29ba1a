import Foundation
import Testing
import TestSupport
import WALStore

private struct First: Codable, Identifiable, Sendable {
    var id: String
    var name: String
}

/// The same item, with `name` renamed and a member added that has no default.
private struct Second: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var title: String
    var stars: Int
}

/// The second with another type for `stars`.
private struct Third: Codable, Identifiable, Sendable, Equatable {
    enum Stars: String, Codable { case none, few, many }

    var id: String
    var title: String
    var stars: Stars
}

private struct NoMigration: Error {}

private func configuration(_ disk: SimulatedDisk, version: Int) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.fileSystem = disk
    configuration.compaction = .manual
    configuration.schemaVersion = version
    return configuration
}

private let place = URL(filePath: "/data")

private func fill(_ disk: SimulatedDisk) async throws {
    let first = try LocalRepository<First>(directory: place, configuration: configuration(disk, version: 1))
    for index in 1...3 { try await first.save(First(id: "q\(index)", name: "name \(index)")) }
    try await first.close()
}

private func migrating(_ disk: SimulatedDisk) -> StoreConfiguration {
    var configuration = configuration(disk, version: 2)
    configuration.migrate = { json, version in
        guard version == 1 else { throw NoMigration() }
        let old = try JSONDecoder().decode(First.self, from: json)
        return try JSONEncoder().encode(Second(id: old.id, title: old.name, stars: 0))
    }
    return configuration
}

@Suite("Schema versions")
struct SchemaTests {
    @Test("Old values are migrated when they are decoded, and carried byte for byte through compaction")
    func migration() async throws {
        let disk = SimulatedDisk()
        try await fill(disk)
        let repository = try LocalRepository<Second>(directory: place, configuration: migrating(disk))
        #expect(repository.recovery.migrated == 3)
        #expect(await repository.find(by: "q2") == Second(id: "q2", title: "name 2", stars: 0))
        try await repository.save(Second(id: "q3", title: "new", stars: 5))
        try await repository.compact()
        try await repository.close()
        let snapshot = String(
            decoding: try #require(disk.contents(of: "/data/data.wal/snapshot-0000000002.jsonl")),
            as: UTF8.self
        )
        #expect(snapshot.contains(#""id":"q1","value":{"id":"q1","name":"name 1"}}"#))
        #expect(snapshot.contains(#""schema":2,"id":"q3","value":{"id":"q3","stars":5,"title":"new"}}"#))

        let reopened = try LocalRepository<Second>(directory: place, configuration: migrating(disk))
        #expect(reopened.recovery.migrated == 2)
        #expect(await reopened.find(by: "q1") == Second(id: "q1", title: "name 1", stars: 0))
        #expect(await reopened.find(by: "q3") == Second(id: "q3", title: "new", stars: 5))
    }

    @Test("A changed type is migrated too, step by step from every version that is in the files")
    func changedType() async throws {
        let disk = SimulatedDisk()
        try await fill(disk)
        let second = try LocalRepository<Second>(directory: place, configuration: migrating(disk))
        try await second.save(Second(id: "q3", title: "new", stars: 5))
        try await second.close()

        let toSecond = migrating(disk).migrate
        var configuration = configuration(disk, version: 3)
        configuration.migrate = { json, version in
            let json = version == 1 ? try toSecond?(json, 1) ?? json : json
            let old = try JSONDecoder().decode(Second.self, from: json)
            let stars: Third.Stars = old.stars == 0 ? .none : old.stars < 3 ? .few : .many
            return try JSONEncoder().encode(Third(id: old.id, title: old.title, stars: stars))
        }
        let third = try LocalRepository<Third>(directory: place, configuration: configuration)
        #expect(third.recovery.migrated == 3)
        #expect(await third.find(by: "q1") == Third(id: "q1", title: "name 1", stars: .none))
        #expect(await third.find(by: "q3") == Third(id: "q3", title: "new", stars: .many))
    }

    @Test("A value of a later schema version is not decodable, and nothing is lost")
    func laterVersion() async throws {
        let disk = SimulatedDisk()
        let second = try LocalRepository<First>(
            directory: place,
            configuration: configuration(disk, version: 7)
        )
        try await second.save(First(id: "a", name: "b"))
        try await second.close()
        let error = #expect(throws: StoreError.self) {
            try LocalRepository<First>(directory: place, configuration: configuration(disk, version: 6))
        }
        #expect(error?.code == .undecodable)
        #expect(error?.message.contains("schema version is 7") == true)
        let again = try LocalRepository<First>(
            directory: place,
            configuration: configuration(disk, version: 7)
        )
        #expect(await again.find(by: "a")?.name == "b")
    }

    @Test("A migration that throws makes its record undecodable and names it")
    func failingMigration() async throws {
        let disk = SimulatedDisk()
        try await fill(disk)
        var configuration = configuration(disk, version: 2)
        configuration.migrate = { _, _ in throw NoMigration() }
        let error = #expect(throws: StoreError.self) {
            try LocalRepository<Second>(directory: place, configuration: configuration)
        }
        #expect(error?.code == .undecodable)
        #expect(error?.cause is NoMigration)
    }
}
