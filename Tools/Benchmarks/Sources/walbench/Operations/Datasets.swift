import Foundation
import WALStore

/// Stores that several operations read, made once a run.
actor Datasets {
    let scratch: Scratch
    let options: Options
    private var made: [String: Task<String, any Error>] = [:]

    init(_ scratch: Scratch, _ options: Options) {
        self.scratch = scratch
        self.options = options
    }

    /// 1 M, less when quick.
    nonisolated var liveCount: Int { options.scaled(1_000_000) }
    /// The ids that as many records overwrite.
    nonisolated var overwrittenIDs: Int { options.scaled(100_000) }

    /// A project's store of live records alone, compacted and closed.
    func compactedProject() async throws -> String {
        try await directory("project-live") { directory in
            let repository = try ProjectStore.open(directory, ProjectStore.unsynced, compaction: .manual)
            try await ProjectStore.fill(repository, (0..<self.liveCount).lazy.map { Document($0) })
            try await repository.compact()
            try await repository.close()
        }
    }

    /// A project's log of as many records that overwrite a tenth of the ids, never compacted, closed.
    func overwrittenProject() async throws -> String {
        try await directory("project-overwritten") { directory in
            let repository = try ProjectStore.open(directory, ProjectStore.unsynced, compaction: .manual)
            try await ProjectStore.fill(repository, self.overwrites)
            try await repository.close()
        }
    }

    func live(_ type: any Peer.Type) async throws -> String {
        try await directory("\(type.name)-live") { directory in
            try Self.fill(type, directory, (0..<self.liveCount).lazy.map { Document($0) })
        }
    }

    func overwritten(_ type: any Peer.Type) async throws -> String {
        try await directory("\(type.name)-overwritten") { directory in
            try Self.fill(type, directory, self.overwrites)
        }
    }

    /// The saves that the overwritten stores have seen.
    private nonisolated var overwrites: some Sequence<Document> & Sendable {
        let ids = overwrittenIDs
        return (0..<liveCount).lazy.map { number in
            // A stride that meets every id once a revision, out of order.
            Document(number &* 7_919 % ids, revision: number / ids)
        }
    }

    private static func fill(
        _ type: any Peer.Type,
        _ directory: String,
        _ documents: some Sequence<Document>
    ) throws {
        let store = try DocumentStore(type, at: directory, .written)
        var batch: [Document] = []
        for document in documents {
            batch.append(document)
            if batch.count == 1_000 {
                try store.save(contentsOf: batch)
                batch.removeAll(keepingCapacity: true)
            }
        }
        if !batch.isEmpty { try store.save(contentsOf: batch) }
    }

    private func directory(
        _ name: String,
        _ fill: @escaping @Sendable (String) async throws -> Void
    ) async throws -> String {
        if let task = made[name] { return try await task.value }
        let task = Task.detached { [scratch] in
            let directory = try scratch.kept(name)
            try await fill(directory)
            scratch.settle()
            return directory
        }
        made[name] = task
        return try await task.value
    }
}
