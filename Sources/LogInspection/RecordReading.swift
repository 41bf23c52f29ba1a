import LogFormat

/// Reads all records that count, of all files, in the order of the files.
enum RecordReading {
    /// Takes a record, its place, whether its number is one that no file before held, and which of the files it
    /// stands in.
    typealias Take = (Record, LinePlace, Bool, Int) throws(InspectionError) -> Void

    static func run(_ verification: Verification, _ take: Take) throws(InspectionError) {
        var highest = SequenceNumber.zero
        for (index, judgement) in verification.judgements.enumerated() {
            var reader = FileReader(judgement.file, to: judgement.end)
            while let line = try reader.next() {
                guard case .record(let record, let place) = line, !place.isInsideDamagedLine else { continue }
                let isNew = record.sequenceNumber > highest
                if isNew { highest = record.sequenceNumber }
                try take(record, place, isNew, index)
            }
        }
    }
}
