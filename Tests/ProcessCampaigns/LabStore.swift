import Foundation
import TestSupport
import WALStore

/// What the store of a directory holds, as this process opens it.
package struct LabStore: Sendable {
    package var texts: [String: String]
    /// The bytes that the opening cut.
    package var bytesCut: Int
    package var generation: UInt64

    /// Opens the store, and closes it or leaves it as a process does that dies.
    ///
    /// - Parameter copy: where to copy the directory first, so that what stands in it stays as it is.
    package static func read(
        _ directory: String,
        copiedTo copy: String? = nil,
        closes: Bool
    ) async throws -> LabStore {
        let files = FileManager.default
        if let copy {
            if files.fileExists(atPath: copy) { try files.removeItem(atPath: copy) }
            // Without a directory the copy is made anew, as the store would be.
            if files.fileExists(atPath: directory) { try files.copyItem(atPath: directory, toPath: copy) }
        }
        let store = try LocalRepository<LabItem>(
            directory: URL(filePath: copy ?? directory, directoryHint: .isDirectory)
        )
        let texts = Dictionary(uniqueKeysWithValues: await store.loadAll().map { ($0.id, $0.text) })
        let cut = store.recovery.bytesCut
        let generation = await store.statistics.generation
        try await closes ? store.close() : store.flush()
        return LabStore(texts: texts, bytesCut: Int(cut), generation: generation)
    }
}
