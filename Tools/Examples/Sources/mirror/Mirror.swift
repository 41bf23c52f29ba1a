import Foundation
import Messages
import WALStore

/// Follows a store and applies its changes to a database.
///
/// The cursor, the number of the last change that was applied, is in the database and moves in the same
/// transaction as the rows. So whatever is killed, and whenever: after it both tell of the same changes, and
/// the mirror goes on behind the cursor.
struct Mirror: Sendable {
    let directory: URL

    /// Until the process is killed. Whatever fails is begun again from the cursor.
    func run() async {
        while true {
            do {
                try await follow()
            } catch {
                FileHandle.standardError.write(Data("mirror: \(error)\n".utf8))
                // Only a cancelled task ends its sleep early, and nobody cancels this one.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Follows the store until something fails.
    private func follow() async throws {
        let database = try await MessageDatabase()
        var cursor = try await database.cursor()
        while true {
            try await apply(to: database, after: cursor)
            cursor = try await rebuild(database)
        }
    }

    /// Applies changes until the store cannot tell any more what changed since.
    private func apply(to database: MessageDatabase, after cursor: UInt64) async throws {
        let store = try await MessageStore.read(directory)
        let window = Window<Change<Message>>(limit: 1_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await change in store.changes(since: cursor, every: .milliseconds(20)) {
                    try await window.put(change)
                }
            }
            group.addTask {
                var cursor = cursor
                while true {
                    let changes = try await window.take()
                    if changes.contains(where: { $0.kind == .reset }) { return }
                    cursor = try await database.apply(changes, after: cursor)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// What was changed since the cursor is no longer known: everything is made anew, in one transaction.
    /// Returns where the cursor is then.
    ///
    /// The feed would deliver the state item by item behind its `.reset`. A second reading has it whole,
    /// with its number.
    private func rebuild(_ database: MessageDatabase) async throws -> UInt64 {
        let cursor = try await database.cursor()
        let store = try await MessageStore.read(directory)
        let number = await store.lastSequenceNumber
        try await database.replaceAll(with: await store.loadAll(), number: number, after: cursor)
        return number
    }
}

/// Hands changes from the feed to the database: at a time as many as have come, and never more than fit.
private actor Window<Element: Sendable> {
    private let limit: Int
    private var waiting: [Element] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// - Throws: `CancellationError`.
    func put(_ element: Element) async throws {
        while waiting.count >= limit { try await Task.sleep(for: .milliseconds(1)) }
        waiting.append(element)
    }

    /// All that has come; waits for one.
    ///
    /// - Throws: `CancellationError`.
    func take() async throws -> [Element] {
        while waiting.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        defer { waiting = [] }
        return waiting
    }
}
