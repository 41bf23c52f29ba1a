package import LogFormat

/// The name of a log or snapshot: `log-0000000001.jsonl`.
package struct StoreFileName: Hashable, Sendable {
    package var kind: FileHeader.Kind
    package var generation: UInt64

    package init(kind: FileHeader.Kind, generation: UInt64) {
        self.kind = kind
        self.generation = generation
    }

    /// The kind and generation in a name, or nil when it is none of a log or snapshot.
    package init?(_ name: String) {
        guard let hyphen = name.firstIndex(of: "-"), name.hasSuffix(".jsonl") else { return nil }
        guard let kind = FileHeader.Kind(rawValue: String(name[..<hyphen])) else { return nil }
        let digits = name[name.index(after: hyphen)...].dropLast(".jsonl".count)
        guard digits.utf8.count == 10, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let generation = UInt64(digits), generation > 0
        else {
            return nil
        }
        self.init(kind: kind, generation: generation)
    }
}

extension StoreFileName: CustomStringConvertible {
    package var description: String {
        let digits = String(generation)
        return "\(kind.rawValue)-\(String(repeating: "0", count: max(0, 10 - digits.count)))\(digits).jsonl"
    }
}

extension StoreFileName: Comparable {
    /// By generation, the snapshot before the log that continues it.
    package static func < (left: StoreFileName, right: StoreFileName) -> Bool {
        if left.generation != right.generation { return left.generation < right.generation }
        return left.kind == .snapshot && right.kind == .log
    }
}
