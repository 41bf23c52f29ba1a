import Foundation

/// The pattern that the project replaces: a dictionary, and one JSON file of all items that each save
/// rewrites and puts in the place of the old one. It syncs nothing.
actor NaiveStore {
    private let file: URL
    private let encoder = JSONEncoder()
    private var documents: [String: Document] = [:]

    init(_ file: URL, _ documents: [Document]) {
        self.file = file
        for document in documents { self.documents[document.id] = document }
    }

    func save(_ document: Document) throws {
        documents[document.id] = document
        try encoder.encode(Array(documents.values)).write(to: file, options: .atomic)
    }
}
