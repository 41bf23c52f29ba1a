/// What opening found and did.
public struct RecoveryReport: Sendable {
    /// Where the store came from.
    public enum Origin: Hashable, Sendable {
        /// It was there.
        case existing
        /// It was made, empty.
        case created
        /// It was made from a plain JSON file with so many items.
        case imported(items: Int)
    }

    /// Bytes that a crash left at the end of the log and that opening removed and kept.
    public struct Quarantined: Hashable, Sendable {
        /// The file they were in.
        public let file: String
        /// Where they began in it, in bytes.
        public let offset: UInt64
        /// How many bytes.
        public let length: UInt64
        /// Why they were removed.
        public let reason: String
        /// The path of the copy that was kept.
        public let path: String
    }

    /// A live record that could not be decoded as an item.
    public struct Undecodable: Sendable {
        /// The id as it stands in the file: JSON text.
        public let id: String
        /// The number of the record.
        public let sequenceNumber: UInt64
        /// What the decoder or the migration threw.
        public let cause: any Error
    }

    /// Where the store came from.
    public let origin: Origin
    /// The records that were read, those that later ones replaced included.
    public let recordsReplayed: UInt64
    /// The number of the last record.
    public let lastSequenceNumber: UInt64
    /// What was removed from files and kept in `quarantine/`.
    public let quarantined: [Quarantined]
    /// The bytes cut from the end of the log, those that held nothing included.
    public let bytesCut: UInt64
    /// The generation of a damaged snapshot that was made anew from the generation before, if there was one.
    public let rebuiltSnapshot: UInt64?
    /// How many live records were decoded from an older schema version.
    public let migrated: Int
    /// Records that were left out under `.carryForward`.
    public let undecodable: [Undecodable]
    /// The time that opening took.
    public let duration: Duration
}

extension RecoveryReport.Quarantined: CustomStringConvertible {
    /// What was removed from where, and why, in one line.
    public var description: String { "\(length) bytes of \(file) quarantined from byte \(offset): \(reason)" }
}

extension RecoveryReport.Undecodable: CustomStringConvertible {
    /// The record and why it cannot be decoded, in one line.
    public var description: String { "record \(sequenceNumber), \(id): \(cause)" }
}

extension RecoveryReport: CustomStringConvertible {
    /// What opening found and did, in one line.
    public var description: String {
        var parts = ["\(recordsReplayed) records replayed in \(duration)"]
        switch origin {
        case .existing: break
        case .created: parts.insert("store created", at: 0)
        case .imported(let items): parts.insert("\(items) items imported", at: 0)
        }
        if bytesCut > 0 { parts.append("\(bytesCut) bytes cut from the end of the log") }
        parts += quarantined.map(\.description)
        if let rebuiltSnapshot {
            parts.append("snapshot \(rebuiltSnapshot) rebuilt from the generation before")
        }
        if migrated > 0 { parts.append("\(migrated) items of an older schema version") }
        if !undecodable.isEmpty {
            parts.append("not decodable: \(undecodable.map(\.id).joined(separator: ", "))")
        }
        return parts.joined(separator: "; ")
    }
}
