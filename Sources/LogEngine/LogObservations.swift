package import LogFormat

/// What stands in a log, seen line by line: the facts that the table of RECOVERY.md section 2 asks for,
/// without a judgement.
package struct LogObservations {
    /// The first thing in a log that is not the record expected there.
    package enum Fault: Hashable, Sendable {
        /// Bytes that are no valid line.
        case invalidBytes(InvalidBytes.Reason)
        /// A valid record with a later number, reached over nothing but padding.
        case gap(found: SequenceNumber)
    }

    /// A line whose checksum holds and that may not stand where it does.
    package struct Misplaced: Hashable, Sendable {
        package var place: LinePlace
        package var reason: String
    }

    // What the header said.
    package private(set) var header: FileHeader?
    package private(set) var headerFault: Misplaced?

    // X, and what was kept before it.
    /// X: the end of the last complete batch or single record before the fault.
    package private(set) var end: UInt64 = 0
    /// The line that begins at X.
    package private(set) var endLine: UInt64 = 1
    /// e: the number after X.
    package private(set) var next: SequenceNumber = .first
    /// The records before X, marks included.
    package private(set) var records: UInt64 = 0
    /// The highest `synced` that a line before X said; the header says the number before its first.
    package private(set) var synced: SequenceNumber = .zero
    package private(set) var lastTime: Int64 = .min
    /// Whether the last line before X is a mark.
    package private(set) var endsInMark = false

    // What stands behind X.
    package private(set) var fault: Fault?
    package private(set) var faultPlace: LinePlace?
    /// The number expected at the fault itself; above e when the fault stands inside a batch.
    package private(set) var expectedAtFault: SequenceNumber = .first
    /// Row E: out of order, or of no shape that may stand there.
    package private(set) var misplaced: Misplaced?
    /// The highest `synced` that a valid line behind X says.
    package private(set) var syncedBehind: SequenceNumber = .zero
    /// The number of the first valid record behind invalid bytes.
    package private(set) var firstBehindInvalid: SequenceNumber?
    package private(set) var validLinesBehindFault: UInt64 = 0
    /// Whether the lines end inside a batch, without a fault before.
    package private(set) var isInsideBatch = false
    /// What a cut takes: from X to the end, without the padding that the file ends with.
    package var contentBehind: Range<UInt64> { end..<max(end, contentEnd) }
    private var contentEnd: UInt64 = 0
    /// Whether nothing but NULs and LFs stands behind X.
    package private(set) var isBlankBehind = true

    private var expected: SequenceNumber = .first
    private var batchSynced: SequenceNumber = .zero
    private var batchRecords: UInt64 = 0
    private let isHeaderFit: (FileHeader) -> String?

    /// `headerFault` tells what in a valid header does not fit the name or the other files.
    package init(headerFault: @escaping (FileHeader) -> String?) {
        isHeaderFit = headerFault
    }

    /// What a record means for the state that is being replayed.
    package enum Effect {
        case none
        /// The record belongs to a batch that has not ended.
        case pending
        /// The record counts, and with it the pending ones before it.
        case counts
    }

    package mutating func observe(_ line: ScannedLine) -> Effect {
        if case .padding = line { return .none }
        contentEnd = line.place.range.upperBound
        switch line {
        case .padding: return .none
        case .header(let found, let place):
            observe(found, place)
            return .none
        case .footer(_, let place):
            needsHeader(place)
            misplace(place, "a footer stands in a log")
            return .none
        case .invalid(let bytes, let place):
            observe(bytes, place)
            return .none
        case .record(let record, let place):
            needsHeader(place)
            return observe(record, place)
        }
    }

    private mutating func observe(_ found: FileHeader, _ place: LinePlace) {
        guard header == nil, headerFault == nil, place.isFirst else {
            needsHeader(place)
            misplace(place, "a second header stands in the file")
            return
        }
        if let reason = isHeaderFit(found) {
            headerFault = Misplaced(place: place, reason: reason)
            return
        }
        header = found
        next = found.firstSequenceNumber
        expected = next
        synced = next.previous
        lastTime = found.time
        end = place.range.upperBound
        endLine = place.line + 1
    }

    private mutating func observe(_ bytes: InvalidBytes, _ place: LinePlace) {
        needsHeader(place)
        // Inside a damaged line it may be part of a value, which can hold an object like that.
        if bytes.isIntact, !place.isInsideDamagedLine {
            misplace(place, "the line's checksum holds, but it has none of the format's shapes")
        }
        if isBlankBehind, !bytes.isBlank { isBlankBehind = false }
        beginFault(.invalidBytes(bytes.reason), place)
    }

    private mutating func observe(_ record: Record, _ place: LinePlace) -> Effect {
        if let synced = record.synced, synced >= record.sequenceNumber {
            misplace(place, "record \(record.sequenceNumber) says that \(synced) was synced before it")
        }
        if fault == nil {
            let number = record.sequenceNumber
            if number == expected { return accept(record, place) }
            if number < expected {
                misplace(place, "record \(number) stands where \(expected) is expected")
                return .none
            }
            beginFault(.gap(found: number), place)
        } else if case .invalidBytes = fault, validLinesBehindFault == 0 {
            firstBehindInvalid = record.sequenceNumber
        }
        isBlankBehind = false
        validLinesBehindFault += 1
        if let synced = record.synced { syncedBehind = max(syncedBehind, synced) }
        return .none
    }

    private mutating func accept(_ record: Record, _ place: LinePlace) -> Effect {
        // Behind a line of row E nothing is replayed; the file is refused.
        guard misplaced == nil else { return .none }
        expected = expected.next
        if let synced = record.synced { batchSynced = max(batchSynced, synced) }
        batchRecords += 1
        lastTime = max(lastTime, record.time)
        guard !record.more else {
            isInsideBatch = true
            isBlankBehind = false
            syncedBehind = batchSynced
            return .pending
        }
        synced = max(synced, batchSynced)
        records += batchRecords
        (batchSynced, batchRecords, syncedBehind) = (.zero, 0, .zero)
        (isInsideBatch, isBlankBehind) = (false, true)
        end = place.range.upperBound
        endLine = place.line + 1
        next = expected
        endsInMark = record.operation == .mark
        return .counts
    }

    private mutating func beginFault(_ kind: Fault, _ place: LinePlace) {
        guard fault == nil else { return }
        fault = kind
        faultPlace = place
        expectedAtFault = expected
    }

    private mutating func needsHeader(_ place: LinePlace) {
        guard header == nil, headerFault == nil else { return }
        headerFault = Misplaced(place: place, reason: "the file does not begin with a valid header")
    }

    private mutating func misplace(_ place: LinePlace, _ reason: String) {
        if misplaced == nil { misplaced = Misplaced(place: place, reason: reason) }
    }
}

extension LinePlace {
    /// Whether nothing but padding stands before.
    fileprivate var isFirst: Bool { !isInsideDamagedLine && line == offset + 1 }
}
