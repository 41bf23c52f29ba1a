import Foundation
import LogFormat
import LogStorage
import TestSupport
import Testing
import WALStore

/// An item with a string for an id.
struct Note: Codable, Identifiable, Hashable, Sendable {
    var id: String
    var text: String

    init(_ id: String, _ text: String = "") {
        self.id = id
        self.text = text
    }
}

/// An item with any id.
struct Tagged<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Hashable, Sendable {
    var id: ID
    var text: String

    init(_ id: ID, _ text: String = "") {
        self.id = id
        self.text = text
    }
}

typealias Notes = LocalRepository<Note>

/// Where stores on simulated disks are.
enum Place {
    static let directory = URL(filePath: "/d", directoryHint: .isDirectory)
    static let store = "/d/data.wal"
    static let log = "/d/data.wal/log-0000000001.jsonl"
    static let plainFile = "/d/data.json"
}

/// How the stores of a test load their items, where it does not say so itself.
enum TestLoading {
    @TaskLocal static var current = StoreConfiguration.Loading.eager

    /// Runs a test once with each.
    static let all: [StoreConfiguration.Loading] = [.eager, .onDemand]
}

extension StoreConfiguration {
    static func on(
        _ disk: SimulatedDisk,
        _ durability: Durability = .synced,
        undecodable: UndecodablePolicy = .refuse
    ) -> StoreConfiguration {
        var configuration = StoreConfiguration(durability: durability)
        configuration.fileSystem = disk
        configuration.undecodable = undecodable
        configuration.loading = TestLoading.current
        return configuration
    }
}

/// Opens the store on a simulated disk.
func open<Item>(
    _ type: Item.Type,
    on disk: SimulatedDisk,
    _ durability: StoreConfiguration.Durability = .synced,
    undecodable: StoreConfiguration.UndecodablePolicy = .refuse,
    writesAhead: Bool = true
) throws -> LocalRepository<Item> {
    var configuration = StoreConfiguration.on(disk, durability, undecodable: undecodable)
    configuration.writesAhead = writesAhead
    return try LocalRepository(directory: Place.directory, configuration: configuration)
}

/// The same, of notes.
func open(
    on disk: SimulatedDisk,
    _ durability: StoreConfiguration.Durability = .synced,
    undecodable: StoreConfiguration.UndecodablePolicy = .refuse,
    writesAhead: Bool = true
) throws -> Notes {
    try open(Note.self, on: disk, durability, undecodable: undecodable, writesAhead: writesAhead)
}

/// Opens the store in a real directory.
func open(
    in directory: TemporaryDirectory,
    _ durability: StoreConfiguration.Durability = .synced
) throws -> Notes {
    try LocalRepository(directory: directory.url, configuration: StoreConfiguration(durability: durability))
}

extension TemporaryDirectory {
    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }
    var store: String { "\(path)/data.wal" }
    var log: String { "\(path)/data.wal/log-0000000001.jsonl" }
}

extension LocalRepository where Item == Note {
    /// The texts by id, as the cache has them.
    var texts: [String: String] {
        Dictionary(uniqueKeysWithValues: loadAll().map { ($0.id, $0.text) })
    }
}

/// The store error that `body` throws, or nil when it throws none.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch let error as StoreError {
        return error
    } catch {
        Issue.record("not a StoreError: \(error)")
        return nil
    }
}

/// The code of the error that `body` throws, or nil when it throws none.
func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    await storeError(body)?.code
}

/// Whether `condition` becomes true within a time that only a loaded machine needs.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(1))
    }
    return false
}

/// The records of a log or snapshot, as the project's own scanner reads them.
func records(_ bytes: [UInt8]?) -> [ByteFile.CopiedRecord] {
    ByteFile(bytes ?? []).items().records
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}
