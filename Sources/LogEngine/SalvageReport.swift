package import LogFormat

/// What a salvage saved, and what it could not.
package struct SalvageReport: Sendable {
    /// A place that is no sound record, or one that may not stand there.
    package struct Fault: Hashable, Sendable {
        package var file: String
        /// From 1; 0 when the whole file is meant.
        package var line: UInt64
        /// In bytes.
        package var offset: UInt64
        package var length: UInt64
        package var reason: String
        /// What the damaged line seems to have been. Not to be trusted.
        package var lost: DamagedLine?

        /// Where the damage is that a reading found.
        package init(_ damage: Corruption, reason: String) {
            self.init(
                file: damage.file,
                line: damage.line,
                offset: damage.offset,
                length: damage.length,
                reason: reason
            )
        }

        init(
            file: String,
            line: UInt64,
            offset: UInt64,
            length: UInt64,
            reason: String,
            lost: DamagedLine? = nil
        ) {
            self.file = file
            self.line = line
            self.offset = offset
            self.length = length
            self.reason = reason
            self.lost = lost
        }
    }

    /// A sound record that was not kept.
    package struct LeftOut: Hashable, Sendable {
        package enum Reason: String, Sendable {
            /// Another member of its batch is missing, so the batch does not count.
            case brokenBatch
            /// Its number had passed already.
            case outOfOrder
            /// Its checksum holds, but such a line may not stand there.
            case misplaced
            /// It stands inside a damaged line, where a value may only look like a record.
            case insideDamagedLine
            /// It stands behind a torn tail, and nobody was told that it was saved.
            case tornTail
        }

        package var file: String
        package var offset: UInt64
        package var sequenceNumber: SequenceNumber
        package var id: CanonicalID?
        package var reason: Reason
    }

    /// Live records in the new store.
    package var liveRecords: UInt64 = 0
    /// Sound records that counted, those that later ones replaced included.
    package var soundRecords: UInt64 = 0
    package private(set) var faults: [Fault] = []
    package private(set) var leftOut: [LeftOut] = []
    /// Numbers that no sound record has, though the logs must have held them.
    package private(set) var missing: [ClosedRange<UInt64>] = []
    /// How many faults, left-out records and runs of missing numbers are not in the lists.
    package private(set) var unlisted: UInt64 = 0
    /// A damaged snapshot that holds nothing which the generation before does not.
    package var rebuilt: Corruption?
    /// How many records a damaged snapshot has lost, where its footer tells.
    package var lostFromSnapshot: UInt64?
    /// 1 + the highest number seen: where the new store goes on.
    package var firstSequenceNumber: SequenceNumber = .first
    package var generation: UInt64 = 1
    /// The UUID of the new store; nil when none was written.
    package var store: String?

    /// Whether everything that was in the store is in the new one.
    package var isComplete: Bool { faults.isEmpty && leftOut.isEmpty && missing.isEmpty }

    /// How long each list may become. A file of nothing but damaged lines must not fill the memory.
    private static let limit = 100_000

    mutating func add(_ fault: Fault) {
        if faults.count < Self.limit { faults.append(fault) } else { unlisted += 1 }
    }

    mutating func add(_ record: LeftOut) {
        if leftOut.count < Self.limit { leftOut.append(record) } else { unlisted += 1 }
    }

    mutating func add(_ numbers: ClosedRange<UInt64>) {
        if missing.count < Self.limit { missing.append(numbers) } else { unlisted += 1 }
    }

    /// The bytes of the last fault go on.
    mutating func extendLastFault(by length: UInt64) {
        faults[faults.count - 1].length += length
    }

    /// Takes numbers that were found after all, in rising order, off the missing ones.
    mutating func found(_ numbers: [UInt64]) {
        var rest: [ClosedRange<UInt64>] = []
        var next = numbers.startIndex
        for range in missing {
            var first = range.lowerBound
            while next < numbers.endIndex, numbers[next] <= range.upperBound {
                if numbers[next] > first { rest.append(first...numbers[next] - 1) }
                first = max(first, numbers[next] + 1)
                next += 1
            }
            if first <= range.upperBound { rest.append(first...range.upperBound) }
        }
        missing = rest
    }
}
