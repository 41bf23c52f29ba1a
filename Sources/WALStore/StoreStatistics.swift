/// Counts of what a store holds and did since it was opened.
public struct StoreStatistics: Hashable, Sendable {
    /// The items.
    public internal(set) var liveRecords = 0
    /// The bytes of the log that is being appended to.
    public internal(set) var logBytes: UInt64 = 0
    /// The number of the last record that was accepted.
    public internal(set) var lastSequenceNumber: UInt64 = 0
    /// The number of the last record that is known to be on stable storage.
    public internal(set) var stableSequenceNumber: UInt64 = 0
    /// Records written since opening.
    public internal(set) var recordsWritten: UInt64 = 0
    /// Syncs since opening, failed ones included.
    public internal(set) var syncs: UInt64 = 0
    /// The most records that one sync made stable.
    public internal(set) var largestGroup: UInt64 = 0
    /// The bytes of the snapshot that the log continues.
    public internal(set) var snapshotBytes: UInt64 = 0
    /// The generation of the log that is being appended to.
    public internal(set) var generation: UInt64 = 1
    /// Compactions that have written a snapshot since opening.
    public internal(set) var compactions: UInt64 = 0
    /// The time that the last of them took.
    public internal(set) var lastCompactionDuration: Duration?
    /// Why the last attempt to compact failed; nil once one has succeeded.
    public internal(set) var lastCompactionError: String?
    /// How far the compaction that runs has come, from 0 to 1; nil when none runs.
    public internal(set) var compactionProgress: Double?
    /// Why nothing is written any more, if that is so.
    public internal(set) var poison: String?
}

extension StoreStatistics: CustomStringConvertible {
    /// The counts that matter to a person, in one line.
    public var description: String {
        var parts = [
            "\(liveRecords) items", "last number \(lastSequenceNumber), stable up to \(stableSequenceNumber)",
            "snapshot of \(snapshotBytes) bytes, log \(generation) of \(logBytes)",
            "\(recordsWritten) records written with \(syncs) syncs, at most \(largestGroup) in one",
            "\(compactions) compactions",
        ]
        if let lastCompactionDuration { parts.append("the last in \(lastCompactionDuration)") }
        if let compactionProgress { parts.append("one is \(Int(compactionProgress * 100)) % done") }
        if let lastCompactionError { parts.append("the last one failed: \(lastCompactionError)") }
        if let poison { parts.append("nothing more is written: \(poison)") }
        return parts.joined(separator: "; ")
    }
}
