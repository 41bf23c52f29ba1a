#if HAS_ROCKSDB
    import CRocksDB
    import Foundation

    /// RocksDB with its own defaults; every write synced or none.
    ///
    /// Unchecked, since the library itself guards its calls: one store is meant to be shared by threads.
    final class RocksDBPeer: Peer, @unchecked Sendable {
        static let name = "RocksDB"

        private let store: OpaquePointer
        private let options: OpaquePointer
        private let reading: OpaquePointer
        private let writing: OpaquePointer

        init(at directory: String, _ durability: PeerDurability) throws {
            options = rocksdb_options_create()
            rocksdb_options_set_create_if_missing(options, 1)
            reading = rocksdb_readoptions_create()
            writing = rocksdb_writeoptions_create()
            rocksdb_writeoptions_set_sync(writing, durability == .synced ? 1 : 0)
            var reason: UnsafeMutablePointer<CChar>?
            let opened = rocksdb_open(options, "\(directory)/rocksdb", &reason)
            try Self.check(reason)
            guard let opened else { throw Failure("RocksDB cannot open \(directory).") }
            store = opened
        }

        deinit {
            rocksdb_close(store)
            rocksdb_writeoptions_destroy(writing)
            rocksdb_readoptions_destroy(reading)
            rocksdb_options_destroy(options)
        }

        func put(_ id: String, _ value: Data) throws {
            var reason: UnsafeMutablePointer<CChar>?
            Self.withBytes(id, value) { id, value in
                rocksdb_put(store, writing, id.baseAddress, id.count, value.baseAddress, value.count, &reason)
            }
            try Self.check(reason)
        }

        func put(contentsOf records: [(id: String, value: Data)]) throws {
            let batch = rocksdb_writebatch_create()
            defer { rocksdb_writebatch_destroy(batch) }
            for (id, value) in records {
                Self.withBytes(id, value) { id, value in
                    rocksdb_writebatch_put(batch, id.baseAddress, id.count, value.baseAddress, value.count)
                }
            }
            var reason: UnsafeMutablePointer<CChar>?
            rocksdb_write(store, writing, batch, &reason)
            try Self.check(reason)
        }

        func get(_ id: String) throws -> Data? {
            var reason: UnsafeMutablePointer<CChar>?
            var count = 0
            var id = id
            let value = id.withUTF8 { id in
                id.withMemoryRebound(to: CChar.self) { id in
                    rocksdb_get(store, reading, id.baseAddress, id.count, &count, &reason)
                }
            }
            try Self.check(reason)
            guard let value else { return nil }
            defer { rocksdb_free(value) }
            return Data(bytes: value, count: count)
        }

        func scan(_ body: (Data) throws -> Void) throws {
            let iterator = rocksdb_create_iterator(store, reading)
            defer { rocksdb_iter_destroy(iterator) }
            rocksdb_iter_seek_to_first(iterator)
            while rocksdb_iter_valid(iterator) != 0 {
                var count = 0
                guard let value = rocksdb_iter_value(iterator, &count) else { break }
                try body(Data(bytes: value, count: count))
                rocksdb_iter_next(iterator)
            }
            var reason: UnsafeMutablePointer<CChar>?
            rocksdb_iter_get_error(iterator, &reason)
            try Self.check(reason)
        }

        func compact() throws {
            rocksdb_compact_range(store, nil, 0, nil, 0)
        }

        private static func withBytes(
            _ id: String,
            _ value: Data,
            _ body: (UnsafeBufferPointer<CChar>, UnsafeBufferPointer<CChar>) -> Void
        ) {
            var id = id
            id.withUTF8 { id in
                value.withUnsafeBytes { value in
                    id.withMemoryRebound(to: CChar.self) { id in
                        body(id, value.assumingMemoryBound(to: CChar.self))
                    }
                }
            }
        }

        private static func check(_ reason: UnsafeMutablePointer<CChar>?) throws {
            guard let reason else { return }
            defer { rocksdb_free(reason) }
            throw Failure("RocksDB says: \(String(cString: reason))")
        }
    }
#endif
