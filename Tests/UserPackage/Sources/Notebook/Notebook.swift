import Foundation
import WALStore

public struct Note: Codable, Identifiable, Hashable, Sendable {
    public var id: UUID
    public var text: String
    public var tags: Set<String>

    public init(_ text: String, tags: Set<String> = []) {
        id = UUID()
        self.text = text
        self.tags = tags
    }
}

/// What an app does with its notes.
public struct Notebook: Sendable {
    private let notes: LocalRepository<Note>

    public init(_ configuration: StoreConfiguration = StoreConfiguration()) throws {
        notes = try LocalRepository(filename: "notes.json", configuration: configuration)
    }

    public func add(_ note: Note) async throws { try await notes.save(note) }

    /// Both change or none does.
    public func merge(_ note: Note, into other: Note) async throws {
        var (emptied, merged) = (note, other)
        (emptied.text, merged.text) = ("", other.text + note.text)
        try await notes.save(contentsOf: [emptied, merged])
    }

    public func allText() async -> String {
        await notes.loadAll().map(\.text).sorted().joined()
    }
}
