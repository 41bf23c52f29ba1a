import LogFormat

extension SalvageReading {
    mutating func noteMissing(_ generations: ClosedRange<UInt64>) {
        let name = StoreDirectory.logName(generations.lowerBound)
        let reason =
            generations.count == 1
            ? "the file is missing"
            : "the logs of generations \(generations.lowerBound) to \(generations.upperBound) are missing"
        report.add(
            SalvageReport.Fault(file: name, line: 0, offset: 0, length: 0, reason: reason)
        )
    }

    mutating func miss(_ first: SequenceNumber, _ last: SequenceNumber) {
        report.add(first.rawValue...last.rawValue)
    }

    mutating func leaveOutBatch(_ name: String) {
        for (id, location) in batch { leaveOut(id, location, name, .brokenBatch) }
        batch.removeAll(keepingCapacity: true)
    }

    mutating func leaveOut(
        _ id: CanonicalID?,
        _ location: LiveIndex.Location,
        _ name: String,
        _ reason: SalvageReport.LeftOut.Reason
    ) {
        report.add(
            SalvageReport.LeftOut(
                file: name,
                offset: location.lineOffset,
                sequenceNumber: location.sequenceNumber,
                id: id,
                reason: reason
            )
        )
    }

    mutating func leaveOut(
        _ record: Record,
        _ place: LinePlace,
        _ name: String,
        _ reason: SalvageReport.LeftOut.Reason
    ) {
        report.add(
            SalvageReport.LeftOut(
                file: name,
                offset: place.offset,
                sequenceNumber: record.sequenceNumber,
                id: record.operation == .mark ? nil : CanonicalID(verified: record.id),
                reason: reason
            )
        )
    }

    mutating func note(_ line: ScannedLine, _ name: String, _ reason: String?) {
        let place = line.place
        // Pieces of one damaged line are one fault.
        if let last = report.faults.last, last.continues(into: place, name) {
            report.extendLastFault(by: place.length)
            return
        }
        var text = reason ?? "the line may not stand here"
        var lost: DamagedLine?
        if case .invalid(let bytes, _) = line {
            if reason == nil { text = bytes.reason.description }
            if !bytes.isBlank { lost = DamagedLine(bytes.bytes) }
        }
        report.add(SalvageReport.Fault(place, in: name, text, lost: lost))
    }
}

extension SalvageReport.Fault {
    init(_ place: LinePlace, in file: String, _ reason: String, lost: DamagedLine?) {
        self.init(
            file: file,
            line: place.line,
            offset: place.offset,
            length: place.length,
            reason: reason,
            lost: lost
        )
    }

    fileprivate func continues(into place: LinePlace, _ file: String) -> Bool {
        self.file == file && line == place.line && offset + length == place.offset
    }
}
