/// A call to the operating system failed.
package struct StorageError: Error, Hashable, Sendable {
    package enum Operation: String, Sendable {
        case list = "list the directory"
        case createDirectory = "make the directory"
        case inspect = "look at"
        case open = "open"
        case create = "create"
        case rename = "rename"
        case remove = "remove"
        case syncDirectory = "sync the directory"
        case lock = "lock"
        case freeSpace = "ask for the free space of"
        case length = "ask for the length of"
        case read = "read"
        case write = "write to"
        case truncate = "truncate"
        case sync = "sync"
    }

    package var operation: Operation
    package var path: String
    /// The `errno` of the failed call, or 0 where the call itself did not fail but broke its contract.
    package var code: Int32
    /// What the system says of `code`.
    package var reason: String

    package init(_ operation: Operation, _ path: String, code: Int32, reason: String) {
        self.operation = operation
        self.path = path
        self.code = code
        self.reason = reason
    }

    /// A file that has to be there is missing.
    package static func vanished(_ path: String) -> StorageError {
        StorageError(.open, path, code: 0, reason: "the file has vanished")
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        code == 0
            ? "Could not \(operation.rawValue) \(path): \(reason)."
            : "Could not \(operation.rawValue) \(path): \(reason) (errno \(code))."
    }
}

extension StorageError {
    /// Whether there was no room: ENOSPC, EDQUOT or EFBIG.
    package var isFullDisk: Bool { Self.fullDiskCodes.contains(code) }

    /// Whether nothing can be written there by anyone: EROFS.
    package var isReadOnlyDisk: Bool { code == Self.readOnlyDiskCode }
}
