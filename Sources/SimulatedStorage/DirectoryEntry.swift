/// A name on a simulated disk.
struct DirectoryEntry: Sendable {
    var path: String
    /// The part of the path behind the last slash.
    var name: String
    var directory: Int
    var node: Int

    init(path: String, directory: Int, node: Int) {
        self.init(path: path, name: DiskPath.name(of: path), directory: directory, node: node)
    }

    init(path: String, name: String, directory: Int, node: Int) {
        self.path = path
        self.name = name
        self.directory = directory
        self.node = node
    }
}

/// A change to a directory that the disk may not have yet.
struct NameChange: Sendable {
    enum Change: Sendable {
        case link(DirectoryEntry)
        case rename(from: String, DirectoryEntry)
        case unlink(String)

        var node: Int? {
            switch self {
            case .link(let entry), .rename(_, let entry): entry.node
            case .unlink: nil
            }
        }
    }

    var change: Change
    var directory: Int
    /// Whether a failed sync of the directory called it clean.
    var isDropped = false

    init(_ change: Change, in directory: Int) {
        self.change = change
        self.directory = directory
    }

    func apply(to entries: inout [DirectoryEntry]) {
        switch change {
        case .link(let entry):
            entries.removeAll { $0.path == entry.path }
            entries.append(entry)
        case .rename(let path, let entry):
            entries.removeAll { $0.path == entry.path || $0.path == path }
            entries.append(entry)
        case .unlink(let path):
            entries.removeAll { $0.path == path }
        }
    }

    /// Whether both change what one name stands for.
    func sharesName(with other: NameChange) -> Bool {
        let (first, second) = names
        let (third, fourth) = other.names
        return first == third || first == fourth || second == third || (second != nil && second == fourth)
    }

    /// The one or two names that it changes.
    var names: (String, String?) {
        switch change {
        case .link(let entry): (entry.path, nil)
        case .rename(let path, let entry): (path, entry.path)
        case .unlink(let path): (path, nil)
        }
    }
}

extension [NameChange] {
    /// A name goes through its changes in order: where a later one is on the disk, so are those before.
    func keepWhatOthersNeed(_ kept: inout [Bool]) {
        for later in indices.reversed() where kept[later] {
            for earlier in indices[..<later]
            where !kept[earlier] && self[earlier].sharesName(with: self[later]) {
                kept[earlier] = true
            }
        }
    }
}

/// Paths of a simulated disk: absolute, with single slashes, none at the end.
enum DiskPath {
    private static let slash = UInt8(ascii: "/")

    /// The one spelling of a path; a relative one starts at the root.
    static func normal(_ path: String) -> String {
        if isNormal(path) { return path }
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func isNormal(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            guard bytes.first == slash, bytes.count > 1 else { return bytes.count == 1 && bytes[0] == slash }
            var before = UInt8(ascii: "x")
            for byte in bytes {
                // A name that starts with a dot may be `.` or `..`: the slow way finds out.
                if before == slash, byte == slash || byte == UInt8(ascii: ".") { return false }
                before = byte
            }
            return before != slash
        }
    }

    static func name(of path: String) -> String {
        guard let index = path.utf8.lastIndex(of: slash) else { return path }
        return String(path[path.utf8.index(after: index)...])
    }

    static func parent(of path: String) -> String {
        guard let index = path.utf8.lastIndex(of: slash), index != path.startIndex else { return "/" }
        return String(path[..<index])
    }
}
