import Foundation
import WALStore

/// P8: reading a record.
extension Suite {
    func finding() -> Operation {
        let count = options.scaled(200_000)
        let metric = "mean µs"
        return Operation(
            number: "P8",
            title: "find among \(datasets.liveCount) records",
            includes: """
                \(count) random ids, one after the other; the project `await find(by:)` from a task, returning the item; \
                peers read the bytes and decode them; also the project's p99 while 64 tasks save with sync
                """,
            goals: [
                Goal(
                    "<= 0.1 x SQLite read + decode",
                    metric,
                    of: ["SQLite"],
                    .atMost(0.1)
                )
            ],
            contestants: [projectFinding(count)] + Peers.installed.map { peerFinding($0, count) }
        )
    }

    private func projectFinding(_ count: Int) -> Contestant {
        let records = datasets.liveCount
        return Contestant(Contestant.project) {
            let directory = try scratch.kept("project-finding")
            try scratch.copy(try await datasets.compactedProject(), to: directory)
            let repository = try ProjectStore.open(directory)
            return {
                let ids = randomIDs(count, of: records)
                let time = try await seconds {
                    for id in ids {
                        guard await repository.find(by: id) != nil else { throw Failure("\(id) is missing.") }
                    }
                }
                let busy = try await findWhileSaving(repository, ids)
                return [Figure("mean µs", time / Double(count) * 1e6)] + busy
            }
        }
    }

    private func peerFinding(_ type: any Peer.Type, _ count: Int) -> Contestant {
        let records = datasets.liveCount
        return Contestant(type.name) {
            let store = try DocumentStore(type, at: try await datasets.live(type), .synced)
            return {
                let ids = randomIDs(count, of: records)
                let time = try await Threads.run {
                    try seconds {
                        for id in ids {
                            guard try store.find(by: id) != nil else { throw Failure("\(id) is missing.") }
                        }
                    }
                }
                return [Figure("mean µs", time / Double(count) * 1e6)]
            }
        }
    }

    private func randomIDs(_ count: Int, of records: Int) -> [String] {
        var generator = Generator(seed: 8)
        return (0..<count).map { _ in Document.id(Int.random(in: 0..<records, using: &generator)) }
    }

    /// How long a `find` takes while 64 tasks keep the store busy with synced saves.
    private func findWhileSaving(_ repository: ProjectStore.Repository, _ ids: [String]) async throws
        -> [Figure]
    {
        let samples = try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<64 {
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        try await repository.save(Document(writer * 100 + number % 100, revision: number))
                        number += 1
                    }
                }
            }
            var samples = Samples()
            let end = ContinuousClock.now + .seconds(1)
            for id in ids where ContinuousClock.now < end {
                let start = ContinuousClock.now
                _ = await repository.find(by: id)
                samples.add(ContinuousClock.now - start)
                try await Task.sleep(for: .milliseconds(1))
            }
            group.cancelAll()
            while let ended = await group.nextResult() {
                if case .failure(let error) = ended, (error as? StoreError)?.code != .cancelled {
                    throw error
                }
            }
            return samples
        }
        return [Figure("p99 µs, 64 saving", samples.percentile(0.99))]
    }
}
