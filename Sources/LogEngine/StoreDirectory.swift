package import LogStorage

/// A store's directory: the names in it and what they mean (FORMAT.md, first section).
package struct StoreDirectory: Sendable {
    package let path: String
    package let fileSystem: any FileSystem

    package init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    package static let lockName = "lock"
    package static let quarantineName = "quarantine"

    package static func logName(_ generation: UInt64) -> String {
        "log-\(digits(generation)).jsonl"
    }

    package static func snapshotName(_ generation: UInt64) -> String {
        "snapshot-\(digits(generation)).jsonl"
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    package var quarantinePath: String { path(of: Self.quarantineName) }

    /// The highest generation that ten digits can name.
    package static let highestGeneration: UInt64 = 9_999_999_999

    private static func digits(_ generation: UInt64) -> String {
        let number = String(generation)
        return String(repeating: "0", count: max(0, 10 - number.count)) + number
    }

    /// The generation in a name of the form `prefix` + ten digits + `.jsonl`, or nil for any other.
    private static func generation(in name: String, prefix: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.hasSuffix(".jsonl") else { return nil }
        let digits = name.utf8.dropFirst(prefix.utf8.count).dropLast(6)
        guard digits.count == 10, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt64(Substring(digits)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// What is in the directory, or nil when there is none.
    package func listing() throws(EngineError) -> StoreListing? {
        guard let names = try io({ () throws(StorageError) in try fileSystem.names(in: path) }) else {
            return nil
        }
        var listing = StoreListing()
        for name in names {
            if let generation = Self.generation(in: name, prefix: "log-") {
                listing.logs.append(generation)
            } else if let generation = Self.generation(in: name, prefix: "snapshot-") {
                listing.snapshots.append(generation)
            } else if name.hasSuffix(AtomicReplace.temporarySuffix) {
                listing.temporaries.append(name)
            } else if name == Self.quarantineName {
                listing.hasQuarantine = true
            }
        }
        listing.logs.sort()
        listing.snapshots.sort()
        return listing
    }
}

/// The files of a store, by what their names say.
package struct StoreListing: Hashable, Sendable {
    /// Generations, rising.
    package var logs: [UInt64] = []
    /// Generations, rising.
    package var snapshots: [UInt64] = []
    /// Unfinished files.
    package var temporaries: [String] = []
    package var hasQuarantine = false

    package var hasStore: Bool { !logs.isEmpty || !snapshots.isEmpty }

    /// The files of a generation and those above it.
    func generations(from generation: UInt64) -> StoreListing {
        var part = self
        part.logs.removeAll { $0 < generation }
        part.snapshots.removeAll { $0 < generation }
        return part
    }

    /// The files below a generation.
    func generations(before generation: UInt64) -> StoreListing {
        var part = self
        part.logs.removeAll { $0 >= generation }
        part.snapshots.removeAll { $0 >= generation }
        return part
    }
}
