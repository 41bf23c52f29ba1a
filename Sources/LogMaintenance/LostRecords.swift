import LogEngine
import LogFormat
import LogInspection

/// A record among quarantined bytes, held in memory.
struct LostRecord {
    var sequenceNumber: SequenceNumber
    var id: CanonicalID
    var operation: EncodedMutation.Operation
    /// Whether its batch was cut short, so that it never counted.
    var isBatchIncomplete = false
    var isInsideDamagedLine: Bool

    var word: String {
        switch operation {
        case .put: "put"
        case .delete: "delete"
        }
    }
}

/// All that quarantined bytes of a log hold.
struct LostRecords {
    private(set) var records: [LostRecord] = []
    private(set) var damages: [QuarantinedLine.Damage] = []
    /// The lowest number that the bytes show, damaged lines included.
    private(set) var lowestNumber = SequenceNumber.highest
    /// Records from this index on belong to a batch whose end has not come.
    private var openBatch: Int?
    private var next = SequenceNumber.zero

    /// - Throws: when the bytes are those of a snapshot.
    init(_ piece: QuarantinedPiece) throws(MaintenanceError) {
        if piece.file.hasPrefix(FileHeader.Kind.snapshot.rawValue) { throw Self.refusal(piece) }
        try piece.lines { (line) throws(MaintenanceError) in
            switch line {
            case .record(let record, let place):
                take(record, place)
            case .damage(let damage):
                damages.append(damage)
                if let number = damage.lost?.sequenceNumber { lowestNumber = min(lowestNumber, number) }
                endBatch(isComplete: false)
            case .header(let header, _):
                if header.kind == .snapshot { throw Self.refusal(piece) }
            case .footer:
                throw Self.refusal(piece)
            }
        }
        endBatch(isComplete: false)
    }

    private static func refusal(_ piece: QuarantinedPiece) -> MaintenanceError {
        MaintenanceError(
            .usage,
            """
            \(piece.name) was a snapshot, and an older state may not overwrite a newer one. Look at it with \
            walstore quarantine show, and save by hand what is to come back.
            """
        )
    }

    private mutating func take(_ record: Record, _ place: LinePlace) {
        if record.sequenceNumber != next { endBatch(isComplete: false) }
        next = record.sequenceNumber.next
        if !place.isInsideDamagedLine { lowestNumber = min(lowestNumber, record.sequenceNumber) }
        switch record.operation {
        case .mark:
            return
        case .put:
            add(record, place, .put(value: Array(record.value), schema: record.schema))
        case .delete:
            add(record, place, .delete)
        }
        if record.more {
            if openBatch == nil { openBatch = records.count - 1 }
        } else {
            endBatch(isComplete: true)
        }
    }

    private mutating func add(
        _ record: Record,
        _ place: LinePlace,
        _ operation: EncodedMutation.Operation
    ) {
        records.append(
            LostRecord(
                sequenceNumber: record.sequenceNumber,
                id: CanonicalID(verified: record.id),
                operation: operation,
                isInsideDamagedLine: place.isInsideDamagedLine
            )
        )
    }

    private mutating func endBatch(isComplete: Bool) {
        if let openBatch, !isComplete {
            for index in openBatch..<records.count { records[index].isBatchIncomplete = true }
        }
        openBatch = nil
    }
}
