import Foundation
import WALStore

/// P9: compaction, and what a saver notices of it.
extension Suite {
    func compacting() -> Operation {
        let (alone, during) = ("save p99 µs alone", "save p99 µs meanwhile")
        return Operation(
            number: "P9",
            title: "compaction of \(datasets.liveCount) records over \(datasets.overwrittenIDs) ids",
            includes: """
                a copy of the store each round; the project `compact()` with everything synced, LevelDB and RocksDB \
                compact_range after whatever they compacted by themselves, SQLite VACUUM and checkpoint, LMDB a compacted \
                copy; the synced saves run one after the other before the compaction and during one
                """,
            goals: [
                Goal("<= 1.0 x LevelDB", "ms", of: ["LevelDB"], .atMost(1.0)),
                Goal(
                    "save p99 meanwhile <= 2 x its p99 without",
                    Goal.Term(Contestant.project, during),
                    against: [Goal.Term(Contestant.project, alone)],
                    .atMost(2.0)
                ),
            ],
            contestants: [
                Contestant(Contestant.project) {
                    let source = try await datasets.overwrittenProject()
                    return {
                        let time = try await compactionTime(source)
                        let (without, with) = try await savesAroundCompaction(source)
                        return [Figure("ms", time * 1e3), Figure(alone, without), Figure(during, with)]
                    }
                }
            ] + Peers.installed.map { peerCompacting($0) }
        )
    }

    private func peerCompacting(_ type: any Peer.Type) -> Contestant {
        Contestant(type.name) {
            let source = try await datasets.overwritten(type)
            return {
                try await scratch.fresh(type.name) { directory in
                    try scratch.copy(source, to: directory)
                    scratch.settle()
                    return try await Threads.run {
                        let store = try DocumentStore(type, at: directory, .synced)
                        return [Figure("ms", try seconds { try store.peer.compact() } * 1e3)]
                    }
                }
            }
        }
    }

    private func withCopy<Value: Sendable>(
        of source: String,
        _ body: (ProjectStore.Repository) async throws -> Value
    ) async throws -> Value {
        try await scratch.fresh("compacting") { directory in
            try scratch.copy(source, to: directory)
            let repository = try ProjectStore.open(directory, compaction: .manual)
            scratch.settle()
            let value = try await body(repository)
            try await repository.close()
            return value
        }
    }

    private func compactionTime(_ source: String) async throws -> Double {
        try await withCopy(of: source) { repository in
            try await seconds { try await repository.compact() }
        }
    }

    /// The p99 of synced saves before a compaction, and of those that one of them ran beside.
    private func savesAroundCompaction(_ source: String) async throws -> (Double, Double) {
        let ids = datasets.overwrittenIDs
        return try await withCopy(of: source) { repository in
            var number = 0
            func save(into samples: inout Samples) async throws {
                number += 1
                let document = Document(number * 7_919 % ids, revision: number)
                let start = ContinuousClock.now
                try await repository.save(document)
                samples.add(ContinuousClock.now - start)
            }
            var (without, with) = (Samples(), Samples())
            for _ in 0..<options.scaled(4_000) { try await save(into: &without) }
            let compaction = Task { try await repository.compact() }
            while await repository.statistics.compactions == 0 { try await save(into: &with) }
            try await compaction.value
            return (without.percentile(0.99), with.percentile(0.99))
        }
    }
}
