package import LogFormat
import LogStorage

/// The files that a store's state stands in, while it is open.
package struct StoreFiles: Sendable {
    /// The store's UUID.
    package let store: String
    /// The snapshot that the logs continue, if there is one.
    package private(set) var base: StorePlan.File?
    /// The logs that were appended to before, oldest first; each ends where the next begins.
    package private(set) var earlierLogs: [StorePlan.File]
    /// The generation of the log that is appended to, and its first number.
    package private(set) var generation: UInt64
    package private(set) var firstSequenceNumber: SequenceNumber
    /// Deletes numbered at least this are still known.
    package private(set) var deletesSince: SequenceNumber

    /// The files of a plan that was carried out. `rebuilt` is the snapshot that was made anew, if any.
    package init(_ plan: StorePlan, rebuilt: StorePlan.File?) {
        store = plan.store
        let base = rebuilt ?? plan.files.first { $0.kind == .snapshot }
        self.base = base
        earlierLogs = plan.files.dropLast().filter {
            $0.kind == .log && $0.generation >= base?.generation ?? 1
        }
        generation = plan.highestLog.generation
        firstSequenceNumber = plan.highestLog.firstSequenceNumber
        deletesSince = rebuilt.map { max($0.firstSequenceNumber, plan.deletesSince) } ?? plan.deletesSince
    }

    /// The generation that the state is replayed from.
    package var baseGeneration: UInt64 {
        base?.generation ?? earlierLogs.first?.generation ?? generation
    }

    package var snapshotBytes: UInt64 { base?.length ?? 0 }

    /// The bytes of the logs before the one that is appended to.
    package var earlierLogBytes: UInt64 { earlierLogs.reduce(0) { $0 + $1.length } }

    /// The header of the log that comes next, when the one that is appended to ends with `last`.
    package func nextHeader(after last: SequenceNumber, time: Int64) -> FileHeader {
        FileHeader(
            kind: .log,
            store: store,
            generation: generation + 1,
            firstSequenceNumber: last.next,
            time: time
        )
    }

    /// A new log has been begun; the one before ends at `end`.
    package mutating func didRotate(to header: FileHeader, endOfLast end: LogAppender.Position) {
        earlierLogs.append(
            StorePlan.File(
                name: StoreDirectory.logName(generation),
                kind: .log,
                generation: generation,
                length: end.offset,
                firstSequenceNumber: firstSequenceNumber
            )
        )
        generation = header.generation
        firstSequenceNumber = header.firstSequenceNumber
    }

    /// What a compaction reads.
    package var sources: [StorePlan.File] { (base.map { [$0] } ?? []) + earlierLogs }

    /// The header of the snapshot of all before the log that is appended to.
    ///
    /// Deletes numbered at least `wanted` are kept, as far back as they are known.
    package func snapshotHeader(keepingDeletesSince wanted: SequenceNumber, time: Int64) -> FileHeader {
        FileHeader(
            kind: .snapshot,
            store: store,
            generation: generation,
            firstSequenceNumber: firstSequenceNumber,
            deletesSince: min(firstSequenceNumber, max(wanted, deletesSince)),
            time: time
        )
    }

    /// A snapshot has taken the place of its sources.
    package mutating func didCompact(into snapshot: StorePlan.File, _ header: FileHeader) {
        base = snapshot
        earlierLogs.removeAll { $0.generation < snapshot.generation }
        deletesSince = header.deletesSince ?? header.firstSequenceNumber
    }
}
