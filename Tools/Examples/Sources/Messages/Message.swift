public import Foundation
public import WALStore

/// What the daemon keeps and the mirror copies.
public struct Message: Codable, Identifiable, Equatable, Sendable {
    public var id: String
    public var text: String
    public var revision: Int

    public init(id: String, text: String, revision: Int) {
        (self.id, self.text, self.revision) = (id, text, revision)
    }
}

/// A line of the daemon's input: a message to save, or the id of one to delete.
public struct Request: Codable, Sendable {
    public var save: Message?
    public var delete: String?

    public init(save: Message? = nil, delete: String? = nil) {
        (self.save, self.delete) = (save, delete)
    }
}

/// Where the messages are: both programs have to say the same.
public enum MessageStore {
    public static let filename = "messages.json"

    public static func open(
        _ directory: URL,
        configuration: StoreConfiguration
    ) throws(StoreError) -> LocalRepository<Message> {
        try LocalRepository(directory: directory, filename: filename, configuration: configuration)
    }

    /// Beside the daemon, without its lock.
    public static func read(_ directory: URL) async throws(StoreError) -> ReadOnlyRepository<Message> {
        try await ReadOnlyRepository(directory: directory, filename: filename)
    }
}
