import Foundation
import WALStore

/// P1, P3, P4, P12: one writer.
extension Suite {
    func singleWriter() -> Operation {
        let count = options.scaled(4_000)
        let metric = "p50 µs"
        return Operation(
            number: "P1",
            title: "synced save, 1 writer",
            includes: """
                \(count) saves of new ids one after the other, each encoded, written and synced before the next; the \
                project from one task, peers from one thread; the C append writes \(lineLength) bytes and encodes nothing
                """,
            goals: [
                Goal(
                    "<= 1.0 x C append + fdatasync",
                    metric,
                    of: [AppendFloor.growing],
                    .atMost(1.0)
                ),
                Goal("<= 0.8 x SQLite FULL", metric, of: ["SQLite"], .atMost(0.8)),
            ],
            contestants: contestants(
                project: { try await project(.synced) { try await latencies($0, count) } },
                peers: { type in
                    try await fresh(type, .synced) { store in
                        var samples = Samples(capacity: count)
                        for number in 0..<count {
                            let start = ContinuousClock.now
                            try store.save(Document(number))
                            samples.add(ContinuousClock.now - start)
                        }
                        return Self.latencies(samples)
                    }
                }
            ) + [floor(AppendFloor.growing, count, space: 0)]
                + [floor(AppendFloor.prewritten, count, space: count * lineLength)]
        )
    }

    private func floor(_ name: String, _ count: Int, space: Int) -> Contestant {
        Contestant(name) {
            scratch.settle()
            return try await scratch.fresh("floor") { directory in
                try await Threads.run {
                    var file = try AppendFloor("\(directory)/log", lineLength: lineLength, space: space)
                    var samples = Samples(capacity: count)
                    for _ in 0..<count {
                        let start = ContinuousClock.now
                        try file.append()
                        samples.add(ContinuousClock.now - start)
                    }
                    return Self.latencies(samples)
                }
            }
        }
    }

    func unsynced() -> Operation {
        let count = options.scaled(200_000)
        let metric = "saves/s"
        return Operation(
            number: "P3",
            title: "unsynced save, 1 writer",
            includes: """
                \(count) saves of new ids, encoded and handed to the kernel: `.written` (a sync each second, automatic \
                compaction as it comes), SQLite NORMAL, LevelDB and RocksDB without sync, LMDB with MDB_NOSYNC
                """,
            goals: [
                Goal(">= 1.1 x LevelDB", metric, of: ["LevelDB"], .atLeast(1.1)),
                Goal(">= 4 x SQLite NORMAL", metric, of: ["SQLite"], .atLeast(4)),
            ],
            contestants: contestants(
                project: {
                    try await project(.written(syncEvery: .seconds(1))) { repository in
                        let time = try await seconds {
                            for number in 0..<count { try await repository.save(Document(number)) }
                        }
                        return [Figure(metric, Double(count) / time)]
                    }
                },
                peers: { type in
                    try await fresh(type, .written) { store in
                        let time = try seconds {
                            for number in 0..<count { try store.save(Document(number)) }
                        }
                        return [Figure(metric, Double(count) / time)]
                    }
                }
            )
        )
    }

    func batches() -> Operation {
        let count = options.scaled(100)
        let metric = "records/s"
        @Sendable func batch(_ number: Int) -> [Document] {
            (number * 1_000..<(number + 1) * 1_000).map { Document($0) }
        }
        return Operation(
            number: "P4",
            title: "synced batches of 1,000",
            includes:
                "\(count) batches of 1,000 new ids, each encoded, written and synced: all or none of it",
            goals: [Goal(">= 1.5 x SQLite FULL", metric, of: ["SQLite"], .atLeast(1.5))],
            contestants: contestants(
                project: {
                    try await project(.synced) { repository in
                        let time = try await seconds {
                            for number in 0..<count { try await repository.save(contentsOf: batch(number)) }
                        }
                        return [Figure(metric, Double(count * 1_000) / time)]
                    }
                },
                peers: { type in
                    try await fresh(type, .synced) { store in
                        let time = try seconds {
                            for number in 0..<count { try store.save(contentsOf: batch(number)) }
                        }
                        return [Figure(metric, Double(count * 1_000) / time)]
                    }
                }
            )
        )
    }

    func againstNaive() -> Operation {
        let records = 10_000
        let metric = "p50 µs"
        let naive = "naive pattern"
        return Operation(
            number: "P12",
            title: "save at \(records) records against the naive pattern",
            includes: """
                saves of ids that are there; the project synced (2,000 of them), the naive pattern rewriting its whole \
                JSON file without any sync (20 of them)
                """,
            goals: [
                Goal(
                    ">= 300 x faster synced",
                    Goal.Term(naive, metric),
                    against: [Goal.Term(Contestant.project, metric)],
                    .atLeast(300)
                )
            ],
            contestants: [
                Contestant(Contestant.project) {
                    try await project(.synced) { repository in
                        try await repository.save(contentsOf: (0..<records).map { Document($0) })
                        return try await latencies(repository, 2_000, over: records)
                    }
                },
                Contestant(naive) {
                    try await scratch.fresh("naive") { directory in
                        let store = NaiveStore(
                            URL(filePath: directory).appending(path: "data.json"),
                            (0..<records).map { Document($0) }
                        )
                        var samples = Samples()
                        for number in 0..<20 {
                            let start = ContinuousClock.now
                            try await store.save(Document(number, revision: 1))
                            samples.add(ContinuousClock.now - start)
                        }
                        return Self.latencies(samples)
                    }
                },
            ]
        )
    }

    // MARK: The project

    /// A new store of the project for the time of `body`.
    func project(
        _ durability: StoreConfiguration.Durability,
        _ body: @Sendable (ProjectStore.Repository) async throws -> [Figure]
    ) async throws -> [Figure] {
        scratch.settle()
        return try await scratch.fresh("project") { directory in
            let repository = try ProjectStore.open(directory, durability)
            let figures = try await body(repository)
            try await repository.close()
            return figures
        }
    }

    /// Saves of new ids, or of random ones among the first `existing`.
    func latencies(
        _ repository: ProjectStore.Repository,
        _ count: Int,
        over existing: Int? = nil
    ) async throws -> [Figure] {
        var generator = Generator(seed: 1)
        var samples = Samples(capacity: count)
        for number in 0..<count {
            let id = existing.map { Int.random(in: 0..<$0, using: &generator) } ?? number
            let document = Document(id, revision: existing == nil ? 0 : number)
            let start = ContinuousClock.now
            try await repository.save(document)
            samples.add(ContinuousClock.now - start)
        }
        return Self.latencies(samples)
    }

    static func latencies(_ samples: Samples) -> [Figure] {
        [Figure("p50 µs", samples.percentile(0.5)), Figure("p99 µs", samples.percentile(0.99))]
    }
}
