package import LogFormat

/// What a store, or a fault in it, amounts to; the worse the greater.
package enum Verdict: String, Comparable, Sendable {
    case sound
    case tornTail
    case corruption
    case newerFormat

    package static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .sound: 0
        case .tornTail: 1
        case .corruption: 2
        case .newerFormat: 3
        }
    }
}

/// A place where a file is not as a sound store's would be, and the verdict on it.
package struct Fault: Hashable, Sendable {
    package var file: StoreFileName
    /// From 1; 0 when the file itself is missing.
    package var line: UInt64
    package var offset: UInt64
    package var length: UInt64
    package var row: Row
    package var cause: Cause
    /// The record number expected there.
    package var expected: SequenceNumber
    /// The number of the first valid record behind it.
    package var firstNumberBehind: SequenceNumber?
    package var remedy = Remedy.restoreOrRepair
    /// More of the kind follow in the file and were counted only.
    package var unlisted: UInt64 = 0

    package var verdict: Verdict { row.verdict }

    func hasPlaceAndRow(of other: Fault) -> Bool {
        (file, line, offset, length, row) == (other.file, other.line, other.offset, other.length, other.row)
            && (expected, firstNumberBehind) == (other.expected, other.firstNumberBehind)
            && (remedy, unlisted) == (other.remedy, other.unlisted)
    }
}

/// What was seen, before it is judged.
package enum Cause: Hashable, Sendable {
    /// The first line is no header of a file: what it is instead.
    case noHeader(FirstLine)
    /// The header is whole, but not that of this file of this store.
    case misfit(HeaderMisfit)
    /// The logs from the fault's file to this generation are not there.
    case missingLogs(through: UInt64)
    /// A line whose checksum holds, but which may not stand there.
    case misshapen(Misshapen)
    /// A number that is not above the one before.
    case number(SequenceNumber)
    /// Bytes that are no line.
    case bytes(InvalidBytes.Reason, DamagedBytes)
    /// A number above the one that comes next, with nothing invalid in between.
    case gap(SequenceNumber)
    /// The file ends inside a batch that begins with this record.
    case openBatch(SequenceNumber)
    /// A snapshot ends without its footer.
    case noFooter
    /// A snapshot's footer counts other than there are records.
    case footerCount(stated: UInt64, found: UInt64)
    /// The first line is that of a later format.
    case newerFormat(UInt64)
}

package enum FirstLine: Hashable, Sendable {
    /// The file is empty, or holds nothing but padding.
    case nothing
    case record
    case footer
    case misshapen
    case bytes(InvalidBytes.Reason, DamagedBytes)
}

package enum HeaderMisfit: Hashable, Sendable {
    case kind(FileHeader.Kind)
    case generation(UInt64)
    case store(found: String, others: String)
    /// `firstSeq` is not the number behind the log before.
    case behindLog(found: SequenceNumber, expected: SequenceNumber)
    /// The log ends elsewhere than the one behind it begins, and that one fits its own snapshot.
    case beforeLog(begins: SequenceNumber, expected: SequenceNumber)
    /// `firstSeq` is not that of the snapshot of the same generation.
    case behindSnapshot(found: SequenceNumber, expected: SequenceNumber)
    /// The first log of a store without a snapshot does not begin with record 1.
    case withoutSnapshot(found: SequenceNumber)
}

package enum Misshapen: Hashable, Sendable {
    case unknown
    case newerFormat(UInt64)
    case secondHeader
    case footerInLog
    case secondFooter
    case recordBehindFooter
    case markInSnapshot
    case synced(SequenceNumber, in: SequenceNumber)
    /// A snapshot's record is not below its `firstSeq`.
    case numberInSnapshot(SequenceNumber, below: SequenceNumber)
}

/// What invalid bytes look like.
package enum DamagedBytes: Hashable, Sendable {
    /// NULs and LFs.
    case blank
    /// A line that ends in CR LF.
    case carriageReturn
    case other
}

/// What helps against a fault.
package enum Remedy: Hashable, Sendable {
    /// The next opening cuts the file.
    case open(cut: UInt64, isBlank: Bool)
    /// The next opening rebuilds the snapshot from this generation.
    case rebuild(from: UInt64)
    /// The file lies below the base and is not read.
    case unneeded
    case restoreOrRepair
    /// A creation by import that was cut short looks the same.
    case repeatImport
    case newerTool
}
