// swift-tools-version: 6.0

import Foundation
import PackageDescription

/// A store of the field, as the system's packages install it.
struct SystemPeer {
    var target: String
    var header: String
    var define: String
    var package: String

    /// The manifest looks, since a system-library target without its header would not build.
    var isInstalled: Bool {
        ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains {
            FileManager.default.fileExists(atPath: "\($0)/\(header)")
        }
    }
}

let peers = [
    SystemPeer(target: "CSQLite", header: "sqlite3.h", define: "HAS_SQLITE", package: "libsqlite3-dev"),
    SystemPeer(target: "CLevelDB", header: "leveldb/c.h", define: "HAS_LEVELDB", package: "libleveldb-dev"),
    SystemPeer(target: "CRocksDB", header: "rocksdb/c.h", define: "HAS_ROCKSDB", package: "librocksdb-dev"),
    SystemPeer(target: "CLMDB", header: "lmdb.h", define: "HAS_LMDB", package: "liblmdb-dev"),
].filter(\.isInstalled)

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "WALStore", path: "../..")],
    targets: peers.map {
        .systemLibrary(name: $0.target, providers: [.apt([$0.package])])
    } + [
        .executableTarget(
            name: "walbench",
            dependencies: [.product(name: "WALStore", package: "WALStore")]
                + peers.map { .target(name: $0.target) },
            swiftSettings: peers.map { .define($0.define) } + [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
