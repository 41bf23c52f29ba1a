#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a store and the plain JSON file of the same name are.
struct StoreLocation: Sendable {
    /// The path of the store's directory.
    let store: String
    /// The path of the file that is imported when there is no store.
    let plainFile: String

    init(directory: URL, filename: String) throws(StoreError) {
        func refuse(_ reason: String) -> StoreError {
            StoreError(
                .invalidFilename,
                "\(filename.debugDescription) cannot name a store: \(reason). Use a plain name like \"data.json\"."
            )
        }
        if filename.isEmpty { throw refuse("it is empty") }
        if filename.utf8.count > 200 {
            throw refuse("it has \(filename.utf8.count) bytes, and 200 are the most")
        }
        if filename.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C }) {
            throw refuse("it contains a separator")
        }
        if filename.utf8.contains(0) { throw refuse("it contains a NUL") }
        if filename.contains("..") { throw refuse("it contains \"..\"") }
        let name = filename.hasSuffix(".json") ? String(filename.dropLast(5)) : filename
        if name.isEmpty || name == "." { throw refuse("nothing is left of it without its ending") }
        guard directory.isFileURL else {
            throw StoreError(.invalidFilename, "\(directory) is no file URL, so no store can be in it.")
        }
        var path = directory.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if path == "/" { path = "" }
        store = "\(path)/\(name).wal"
        plainFile = "\(path)/\(filename)"
    }
}
