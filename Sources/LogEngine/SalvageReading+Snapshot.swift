import LogFormat

extension SalvageReading {
    /// What a snapshot's lines have said so far.
    struct SnapshotPlaces {
        /// Every record's number is below this; the header says it.
        var end = SequenceNumber.highest
        var last = SequenceNumber.zero
        var records: UInt64 = 0
        var hasFooter = false

        /// Why a record may not stand here, or nil.
        func fault(_ record: Record, _ place: LinePlace) -> SalvageReport.LeftOut.Reason? {
            if place.isInsideDamagedLine { return .insideDamagedLine }
            if record.operation == .mark || hasFooter || record.isAheadOfItself { return .misplaced }
            return record.sequenceNumber > last && record.sequenceNumber < end ? nil : .outOfOrder
        }
    }

    mutating func readSnapshot(
        _ line: ScannedLine,
        _ name: String,
        _ number: Int32,
        _ snapshot: inout SnapshotPlaces
    ) {
        switch line {
        case .record(let record, let place):
            see(record, place)
            if let reason = snapshot.fault(record, place) { return leaveOut(record, place, name, reason) }
            snapshot.last = record.sequenceNumber
            snapshot.records += 1
            report.soundRecords += 1
            keep(LiveIndex.Location(record, at: place.offset, in: number), record.id, from: .snapshot)
        case .footer(let footer, let place):
            guard !snapshot.hasFooter else { return note(line, name, "a second footer stands in the file") }
            snapshot.hasFooter = true
            let found = snapshot.records
            guard footer.records != found else { return }
            if footer.records > found { report.lostFromSnapshot = footer.records - found }
            let reason = "the footer counts \(footer.records) records, and \(found) are sound"
            report.add(SalvageReport.Fault(place, in: name, reason, lost: nil))
        case .header, .invalid, .padding:
            note(line, name, nil)
        }
    }

    /// What is wrong with a file once all its lines were seen, or nil.
    func reasonAtEnd(
        _ kind: FileHeader.Kind,
        isEmpty: Bool,
        isForeign: Bool,
        _ snapshot: SnapshotPlaces
    ) -> String? {
        if isEmpty { return "the file has no line" }
        guard kind == .snapshot, !snapshot.hasFooter, !isForeign else { return nil }
        return "the snapshot has no footer, so records may be missing at its end"
    }
}
