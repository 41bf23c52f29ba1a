import Foundation
import WALStore

/// How the project is opened here, and what of its files the others have to know.
enum ProjectStore {
    typealias Repository = LocalRepository<Document>

    static func open(
        _ directory: String,
        _ durability: StoreConfiguration.Durability = .synced,
        compaction: StoreConfiguration.Compaction = .automatic(),
        loading: StoreConfiguration.Loading = .eager
    ) throws -> Repository {
        var configuration = StoreConfiguration(durability: durability)
        configuration.compaction = compaction
        configuration.loading = loading
        return try Repository(
            directory: URL(filePath: directory, directoryHint: .isDirectory),
            configuration: configuration
        )
    }

    /// Handed to the kernel, and not synced for as long as a measurement takes.
    static let unsynced = StoreConfiguration.Durability.written(syncEvery: .seconds(3600))

    /// The bytes of a log's line for a document: what the C floor writes too.
    static func lineLength(_ scratch: Scratch) async throws -> Int {
        try await scratch.fresh("line") { directory in
            let repository = try open(directory)
            try await repository.save(Document(1))
            let before = await repository.statistics.logBytes
            try await repository.save(Document(2))
            let length = await repository.statistics.logBytes - before
            try await repository.close()
            return Int(length)
        }
    }

    /// Saves documents in batches, unsynced, from one task.
    static func fill(_ repository: Repository, _ numbers: some Sequence<Document> & Sendable) async throws {
        var batch: [Document] = []
        for document in numbers {
            batch.append(document)
            if batch.count == 1_000 {
                try await repository.save(contentsOf: batch)
                batch.removeAll(keepingCapacity: true)
            }
        }
        if !batch.isEmpty { try await repository.save(contentsOf: batch) }
    }
}
