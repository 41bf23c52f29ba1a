#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogStorage
import TestSupport

/// The stores of format 1 that are kept for every later version, and what is known of each.
struct Fixture: CustomStringConvertible, Sendable {
    struct Expectation: Decodable, Sendable {
        struct Opens: Decodable, Sendable {
            var state: [String: JSON]
            var lastSeq: UInt64
        }

        var verdict: String
        var state: [String: JSON]?
        var lastSeq: UInt64?
        var cut: UInt64?
        var line: UInt64?
        var offset: UInt64?
        /// What opening serves where the verdict on the files is another.
        var opens: Opens?
    }

    var name: String
    var expected: Expectation

    static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + (parts + ["Fixtures", "v1"]).joined(separator: "/")
    }()

    static func all() throws -> [Fixture] {
        let system = POSIXFileSystem()
        let path = "\(folder)/expected.json"
        guard let file = try system.openForReading(path) else {
            throw StorageError(.open, path, code: 0, reason: "the fixtures are missing")
        }
        let text = try file.bytes(in: 0..<file.length(), path: path)
        let expected = try JSONDecoder().decode([String: Expectation].self, from: Data(text))
        return expected.map { Fixture(name: $0.key, expected: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The store on a disk in memory.
    func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.load("\(Self.folder)/\(name)", of: POSIXFileSystem(), to: "/d/store.wal")
        return disk
    }

    var description: String { name }
}

/// A JSON value, to compare by meaning.
enum JSON: Decodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(_ text: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
            return
        }
        let attempts: [(any SingleValueDecodingContainer) throws -> JSON] = [
            { .bool(try $0.decode(Bool.self)) },
            { .number(try $0.decode(Double.self)) },
            { .string(try $0.decode(String.self)) },
            { .array(try $0.decode([JSON].self)) },
        ]
        for attempt in attempts {
            do {
                self = try attempt(container)
                return
            } catch DecodingError.typeMismatch { continue }
        }
        self = .object(try container.decode([String: JSON].self))
    }
}

/// The note beside quarantined bytes.
struct QuarantineNote: Decodable, Hashable {
    var file: String
    var offset: UInt64
    var length: UInt64
    var reason: String
    var time: Int64

    init(_ text: [UInt8]) throws {
        self = try JSONDecoder().decode(QuarantineNote.self, from: Data(text))
    }
}
