import Foundation
import TestSupport
import WALStore

/// Reads a store that another process writes, by refreshing and by its feed, and says what it sees.
struct Follower: Sendable {
    private let store: RoundStore

    /// Nil when the arguments are not understood.
    init?(_ arguments: ArraySlice<String>) {
        guard arguments.count == 1, let directory = arguments.first else { return nil }
        store = RoundStore(directory, compactAt: 1)
    }

    func run() async {
        do {
            let reader = try await ReadOnlyRepository<RoundItem>(
                directory: store.directory,
                configuration: store.configuration
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await refresh(reader) }
                group.addTask { try await follow(reader) }
                try await group.waitForAll()
            }
        } catch {
            report("error \(error)")
            exit(1)
        }
    }

    private func refresh(_ reader: ReadOnlyRepository<RoundItem>) async throws {
        let parent = getppid()
        var isNew = true
        while getppid() == parent {
            if isNew {
                let number = await reader.lastSequenceNumber
                let items = await reader.loadAll().sorted { $0.id < $1.id }.map(FollowerReport.text)
                report("state \(number) \(items.joined(separator: " "))")
            }
            try await Task.sleep(for: .milliseconds(1))
            isNew = try await reader.refresh()
        }
    }

    private func follow(_ reader: ReadOnlyRepository<RoundItem>) async throws {
        for try await change in reader.changes(every: .milliseconds(1)) {
            switch (change.new, change.id) {
            case (let item?, _): report("saved \(change.sequenceNumber) \(FollowerReport.text(item))")
            case (nil, let id?): report("deleted \(change.sequenceNumber) \(id)")
            case (nil, nil): report("reset \(change.sequenceNumber)")
            }
        }
    }
}
