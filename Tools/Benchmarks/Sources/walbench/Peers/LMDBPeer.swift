#if HAS_LMDB
    import CLMDB
    import Foundation

    /// LMDB with its own defaults, which sync each commit; `MDB_NOSYNC` when not synced.
    ///
    /// Unchecked, since the environment is meant to be shared by threads; each call begins a transaction
    /// of its own and ends it on the same thread.
    final class LMDBPeer: Peer, @unchecked Sendable {
        static let name = "LMDB"

        /// The most that a store may grow to, in bytes: address space, not disk.
        private static let mapSize = 16 << 30

        private let environment: OpaquePointer
        private let database: MDB_dbi
        private let directory: String
        private let flags: UInt32

        init(at directory: String, _ durability: PeerDurability) throws {
            self.directory = directory
            var made: OpaquePointer?
            try Self.check(mdb_env_create(&made))
            guard let made else { throw Failure("LMDB made no environment.") }
            environment = made
            flags = UInt32(MDB_NOTLS) | (durability == .synced ? 0 : UInt32(MDB_NOSYNC))
            try Self.check(mdb_env_set_mapsize(environment, Self.mapSize))
            try Self.check(mdb_env_open(environment, directory, flags, 0o600))
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
            var database: MDB_dbi = 0
            try Self.check(mdb_dbi_open(transaction, nil, 0, &database))
            try Self.check(mdb_txn_commit(transaction))
            self.database = database
        }

        deinit {
            mdb_env_close(environment)
        }

        func put(_ id: String, _ value: Data) throws {
            try put(contentsOf: [(id, value)])
        }

        func put(contentsOf records: [(id: String, value: Data)]) throws {
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
            do {
                for (id, value) in records { try put(id, value, transaction) }
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try Self.check(mdb_txn_commit(transaction))
        }

        private func put(_ id: String, _ value: Data, _ transaction: OpaquePointer?) throws {
            try Self.withValue(of: id) { key in
                try value.withUnsafeBytes { bytes in
                    // The library reads what the pointer of a put points to and never writes there.
                    var data = MDB_val(
                        mv_size: bytes.count,
                        mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                    )
                    try Self.check(mdb_put(transaction, database, &key, &data, 0))
                }
            }
        }

        func get(_ id: String) throws -> Data? {
            try reading { transaction in
                var data = MDB_val()
                let code = try Self.withValue(of: id) { mdb_get(transaction, database, &$0, &data) }
                if code == MDB_NOTFOUND { return nil }
                try Self.check(code)
                return Self.bytes(of: data)
            }
        }

        func scan(_ body: (Data) throws -> Void) throws {
            try reading { transaction in
                var cursor: OpaquePointer?
                try Self.check(mdb_cursor_open(transaction, database, &cursor))
                defer { mdb_cursor_close(cursor) }
                var (key, data) = (MDB_val(), MDB_val())
                while true {
                    let code = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)
                    if code == MDB_NOTFOUND { return }
                    try Self.check(code)
                    try body(Self.bytes(of: data))
                }
            }
        }

        /// Copies what is live into a new file, as the library's own tool does.
        func compact() throws {
            let target = directory + "/compacted"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            try Self.check(mdb_env_copy2(environment, target, UInt32(MDB_CP_COMPACT)))
        }

        private func reading<Value>(_ body: (OpaquePointer?) throws -> Value) throws -> Value {
            var transaction: OpaquePointer?
            try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
            defer { mdb_txn_abort(transaction) }
            return try body(transaction)
        }

        private static func withValue<Value>(of id: String, _ body: (inout MDB_val) throws -> Value) throws
            -> Value
        {
            var id = id
            return try id.withUTF8 { text in
                // The library reads a key and never writes it.
                let pointer = UnsafeMutableRawPointer(mutating: text.baseAddress)
                var key = MDB_val(mv_size: text.count, mv_data: pointer)
                return try body(&key)
            }
        }

        private static func bytes(of value: MDB_val) -> Data {
            guard let bytes = value.mv_data else { return Data() }
            return Data(bytes: bytes, count: value.mv_size)
        }

        private static func check(_ code: Int32) throws {
            guard code != 0 else { return }
            throw Failure("LMDB says: \(String(cString: mdb_strerror(code)))")
        }
    }
#endif
