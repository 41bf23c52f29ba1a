#if HAS_SQLITE
    import CSQLite
    import Foundation
    import Synchronization

    /// SQLite in WAL mode with a table of id and JSON; `FULL` when synced, `NORMAL` when not.
    ///
    /// One connection behind a lock: the fastest way for many threads that each commit by themselves,
    /// since connections of their own would wait for each other in the file system.
    final class SQLitePeer: Peer {
        static let name = "SQLite"

        private let connection: Mutex<SQLiteConnection>

        init(at directory: String, _ durability: PeerDurability) throws {
            connection = Mutex(try SQLiteConnection("\(directory)/data.sqlite", durability))
        }

        func put(_ id: String, _ value: Data) throws {
            try connection.withLock { try $0.insert(id, value) }
        }

        func put(contentsOf records: [(id: String, value: Data)]) throws {
            try connection.withLock { connection in
                try connection.execute("BEGIN")
                for (id, value) in records { try connection.insert(id, value) }
                try connection.execute("COMMIT")
            }
        }

        func get(_ id: String) throws -> Data? {
            try connection.withLock { try $0.value(of: id) }
        }

        func scan(_ body: (Data) throws -> Void) throws {
            try connection.withLock { try $0.scan(body) }
        }

        func compact() throws {
            try connection.withLock { connection in
                try connection.execute("VACUUM")
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
        }
    }

    /// A connection and its prepared statements.
    ///
    /// The lock that it stands behind is what makes handing it between threads safe.
    struct SQLiteConnection: ~Copyable, @unchecked Sendable {
        private let database: OpaquePointer
        private let inserting: OpaquePointer
        private let selecting: OpaquePointer

        init(_ path: String, _ durability: PeerDurability) throws {
            var opened: OpaquePointer?
            guard sqlite3_open(path, &opened) == SQLITE_OK, let database = opened else {
                throw Failure("SQLite cannot open \(path).")
            }
            let synchronous = durability == .synced ? "FULL" : "NORMAL"
            let setup = [
                "PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous)",
                "CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID",
            ]
            for statement in setup { try Self.execute(statement, on: database) }
            let inserting = try Self.prepare("INSERT OR REPLACE INTO documents VALUES (?, ?)", on: database)
            let selecting = try Self.prepare("SELECT json FROM documents WHERE id = ?", on: database)
            (self.database, self.inserting, self.selecting) = (database, inserting, selecting)
        }

        deinit {
            sqlite3_finalize(inserting)
            sqlite3_finalize(selecting)
            sqlite3_close(database)
        }

        func execute(_ statement: String) throws {
            try Self.execute(statement, on: database)
        }

        func insert(_ id: String, _ value: Data) throws {
            try value.withUnsafeBytes { bytes in
                try bind(id, to: inserting) {
                    try check(sqlite3_bind_blob(inserting, 2, bytes.baseAddress, Int32(bytes.count), nil))
                    guard sqlite3_step(inserting) == SQLITE_DONE else { throw failure }
                }
            }
        }

        func value(of id: String) throws -> Data? {
            try bind(id, to: selecting) {
                switch sqlite3_step(selecting) {
                case SQLITE_ROW: blob(of: selecting)
                case SQLITE_DONE: nil
                default: throw failure
                }
            }
        }

        func scan(_ body: (Data) throws -> Void) throws {
            let statement = try Self.prepare("SELECT json FROM documents", on: database)
            defer { sqlite3_finalize(statement) }
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: try body(blob(of: statement))
                case SQLITE_DONE: return
                default: throw failure
                }
            }
        }

        /// Binds the id as the first parameter, without a copy, for the time of `body`.
        private func bind<Value>(_ id: String, to statement: OpaquePointer, _ body: () throws -> Value) throws
            -> Value
        {
            var id = id
            return try id.withUTF8 { text in
                defer { sqlite3_reset(statement) }
                let pointer = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
                try check(sqlite3_bind_text(statement, 1, pointer, Int32(text.count), nil))
                return try body()
            }
        }

        private func blob(of statement: OpaquePointer) -> Data {
            guard let bytes = sqlite3_column_blob(statement, 0) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
        }

        private func check(_ code: Int32) throws {
            guard code == SQLITE_OK else { throw failure }
        }

        private var failure: Failure { Self.failure(of: database) }

        private static func failure(of database: OpaquePointer) -> Failure {
            Failure("SQLite says: \(String(cString: sqlite3_errmsg(database)))")
        }

        private static func execute(_ statement: String, on database: OpaquePointer) throws {
            guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
                throw failure(of: database)
            }
        }

        private static func prepare(_ text: String, on database: OpaquePointer) throws -> OpaquePointer {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK,
                let statement
            else {
                throw failure(of: database)
            }
            return statement
        }
    }
#endif
