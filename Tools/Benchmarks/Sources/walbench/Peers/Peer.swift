import Foundation

/// A store of the field, as its C interface wants to be called: bytes by id. Encoding is the caller's.
protocol Peer: Sendable {
    static var name: String { get }

    /// Opens the store in a directory, or makes it there. It is closed with its last reference.
    init(at directory: String, _ durability: PeerDurability) throws

    /// Saves one record and returns when it is as durable as asked for.
    func put(_ id: String, _ value: Data) throws
    /// Saves records all or none.
    func put(contentsOf records: [(id: String, value: Data)]) throws
    func get(_ id: String) throws -> Data?
    /// Hands the value of every record to `body`.
    func scan(_ body: (Data) throws -> Void) throws
    /// What the store has to take back the space of overwritten records.
    func compact() throws
}

enum PeerDurability: Sendable {
    /// Each save survives a power cut.
    case synced
    /// Each save survives the death of the process.
    case written
}

/// The peers that were there when the benchmark was built, and those that were not.
enum Peers {
    static let installed: [any Peer.Type] = {
        var peers: [any Peer.Type] = []
        #if HAS_SQLITE
            peers.append(SQLitePeer.self)
        #endif
        #if HAS_LEVELDB
            peers.append(LevelDBPeer.self)
        #endif
        #if HAS_ROCKSDB
            peers.append(RocksDBPeer.self)
        #endif
        #if HAS_LMDB
            peers.append(LMDBPeer.self)
        #endif
        return peers
    }()

    /// By their names, with the package that has them.
    static let missing: [String] = {
        let all = [
            ("SQLite", "libsqlite3-dev"), ("LevelDB", "libleveldb-dev"), ("RocksDB", "librocksdb-dev"),
            ("LMDB", "liblmdb-dev"),
        ]
        let names = Set(installed.map { $0.name })
        return all.filter { !names.contains($0.0) }.map { "\($0.0) (\($0.1))" }
    }()
}

/// A peer that stores documents, encoded as the project encodes them, but for the sorting of keys,
/// which the peers are spared.
struct DocumentStore: Sendable {
    let peer: any Peer
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init(_ type: any Peer.Type, at directory: String, _ durability: PeerDurability) throws {
        peer = try type.init(at: directory, durability)
    }

    func save(_ document: Document) throws {
        try peer.put(document.id, encoder.encode(document))
    }

    func save(contentsOf documents: [Document]) throws {
        try peer.put(contentsOf: documents.map { ($0.id, try encoder.encode($0)) })
    }

    func find(by id: String) throws -> Document? {
        try peer.get(id).map { try decoder.decode(Document.self, from: $0) }
    }

    /// Decodes every document and drops it; returns how many there are.
    func decodeAll() throws -> Int {
        var count = 0
        try peer.scan { value in
            let document = try decoder.decode(Document.self, from: value)
            guard document.rank >= 0 else { throw Failure("A document was changed.") }
            count += 1
        }
        return count
    }
}
