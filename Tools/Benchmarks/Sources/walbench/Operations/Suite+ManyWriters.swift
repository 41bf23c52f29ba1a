import Foundation
import WALStore

/// P2: many savers at once.
extension Suite {
    private static var writers: Int { 64 }

    func manyWriters() -> Operation {
        let metric = "saves/s"
        let each = options.scaled(2_000)
        var all = contestants(
            project: { try await project(.synced) { try await savesPerSecond($0, each) } },
            peers: { type in
                // Those that commit one by one would take minutes for as many saves.
                let each = type.name == "SQLite" || type.name == "LMDB" ? max(1, each / 10) : each
                return try await savesPerSecond(type, each) { store in
                    { try store.save($0) }
                }
            }
        )
        if let sqlite = Peers.installed.first(where: { $0.name == "SQLite" }) {
            all.append(
                Contestant("SQLite grouped") {
                    let encoder = JSONEncoder()
                    return try await savesPerSecond(sqlite, each) { store in
                        let writer = GroupedWriter(store.peer)
                        return { try writer.put($0.id, encoder.encode($0)) }
                    }
                }
            )
        }
        return Operation(
            number: "P2",
            title: "synced saves by \(Self.writers) writers",
            includes: """
                \(each) saves of new ids each, all encoded, written and synced; the project from 64 tasks, peers from 64 \
                threads; SQLite FULL on one connection (a tenth of the saves), and with one thread that commits what \
                64 have queued
                """,
            goals: [
                Goal(
                    ">= 2.5 x the best of SQLite (grouped), LevelDB, RocksDB",
                    metric,
                    of: ["SQLite grouped", "LevelDB", "RocksDB"],
                    .atLeast(2.5)
                )
            ],
            contestants: all
        )
    }

    private func savesPerSecond(_ repository: ProjectStore.Repository, _ each: Int) async throws -> [Figure] {
        let time = try await seconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<Self.writers {
                    group.addTask {
                        for number in 0..<each { try await repository.save(Document(writer * each + number)) }
                    }
                }
                try await group.waitForAll()
            }
        }
        let statistics = await repository.statistics
        return [
            Figure("saves/s", Double(Self.writers * each) / time),
            Figure("saves a sync", Double(statistics.recordsWritten) / Double(max(1, statistics.syncs))),
        ]
    }

    private func savesPerSecond(
        _ type: any Peer.Type,
        _ each: Int,
        _ saving: @escaping @Sendable (DocumentStore) throws -> @Sendable (Document) throws -> Void
    ) async throws -> [Figure] {
        scratch.settle()
        return try await scratch.fresh(type.name) { directory in
            let store = try DocumentStore(type, at: directory, .synced)
            let save = try saving(store)
            let time = try await seconds {
                try await Threads.run(Self.writers) { writer in
                    for number in 0..<each { try save(Document(writer * each + number)) }
                }
            }
            return [Figure("saves/s", Double(Self.writers * each) / time)]
        }
    }
}
