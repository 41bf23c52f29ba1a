import Foundation
import TestSupport
import WALStore

/// Where a store is and how often it compacts: what a writer and its reader have in common.
struct RoundStore: Sendable {
    let directory: URL
    let configuration: StoreConfiguration

    init(_ directory: String, compactAt bytes: Int) {
        self.directory = URL(filePath: directory, directoryHint: .isDirectory)
        var configuration = StoreConfiguration()
        configuration.compaction = .automatic(minimumBytes: bytes)
        self.configuration = configuration
    }
}

/// Moves a store on for so many rounds; then it closes it, or waits until it is killed.
struct RoundWriter: Sendable {
    private let store: RoundStore
    private let life: Int
    private let rounds: Int
    private let closes: Bool

    /// Nil when the arguments are not understood.
    init?(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        closes = arguments.last == "--close"
        if closes { arguments.removeLast() }
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard let directory = arguments.first, arguments.count == 4, numbers.count == 3 else { return nil }
        (life, rounds) = (numbers[0], numbers[1])
        store = RoundStore(directory, compactAt: numbers[2])
    }

    func run() async {
        do {
            let repository = try LocalRepository<RoundItem>(
                directory: store.directory,
                configuration: store.configuration
            )
            let found = await repository.loadAll()
            let last = LabRound(found)
            guard found.isEmpty || last != nil else {
                return report("error the store has no round: \(found)")
            }
            report("open \(last?.round ?? 0) \(last?.life ?? 0)")
            try await write(to: repository, after: last?.round ?? 0)
            if closes {
                try await repository.close()
                report("closed")
            } else {
                try await waitToBeKilled()
            }
        } catch {
            report("error \(error)")
            exit(1)
        }
    }

    private func write(to repository: LocalRepository<RoundItem>, after last: Int) async throws {
        let parent = getppid()
        var round = last
        // A writer whose parent has died would write for ever.
        while round - last < rounds, getppid() == parent {
            round += 1
            let next = LabRound(round: round, life: life)
            try await repository.transaction { transaction in
                for id in next.deletes { transaction.delete(id) }
                for item in next.items { transaction.save(item) }
            }
            report("done \(round)")
        }
    }

    private func waitToBeKilled() async throws {
        let parent = getppid()
        while getppid() == parent { try await Task.sleep(for: .milliseconds(20)) }
    }
}
