import LogEngine
import LogFormat
import LogInspection

/// Prints what a repair has saved and what is lost.
struct RepairReport {
    let report: SalvageReport
    let out: String
    let maintainer: Maintainer

    private var missingCount: UInt64 { report.missing.reduce(0) { $0 + UInt64($1.count) } }

    /// The faults, with the snapshot that is rebuilt from the generation before it.
    private var faults: [SalvageReport.Fault] {
        guard let damage = report.rebuilt else { return report.faults }
        let reason = "\(damage.reason); the generation before it holds all that it held"
        let rebuilt = SalvageReport.Fault(damage, reason: reason)
        return [rebuilt] + report.faults
    }

    // MARK: For programs

    func writeJSON() throws(MaintenanceError) {
        for fault in faults {
            var line = JSONLine()
            line.add("type", "fault")
            line.add("file", fault.file)
            line.add("line", fault.line)
            line.add("offset", fault.offset)
            line.add("length", fault.length)
            line.add("reason", fault.reason)
            line.add(fault.lost)
            try maintainer.print(line)
        }
        for numbers in report.missing {
            var line = JSONLine()
            line.add("type", "missing")
            line.add("from", numbers.lowerBound)
            line.add("to", numbers.upperBound)
            try maintainer.print(line)
        }
        for record in report.leftOut {
            var line = JSONLine()
            line.add("type", "leftOut")
            line.add("file", record.file)
            line.add("offset", record.offset)
            line.add("seq", record.sequenceNumber)
            if let id = record.id { line.add("id", json: id.spelling) }
            line.add("reason", record.reason.rawValue)
            try maintainer.print(line)
        }
        try writeSummary()
    }

    private func writeSummary() throws(MaintenanceError) {
        var line = JSONLine()
        line.add("type", "summary")
        line.add("out", out)
        line.add("written", report.store != nil)
        line.add("complete", report.isComplete)
        line.add("liveRecords", report.liveRecords)
        line.add("soundRecords", report.soundRecords)
        line.add("faults", UInt64(faults.count))
        line.add("missing", missingCount)
        line.add("leftOut", UInt64(report.leftOut.count))
        line.add("unlisted", report.unlisted)
        if let lost = report.lostFromSnapshot { line.add("lostFromSnapshot", lost) }
        line.add("generation", report.generation)
        line.add("nextSeq", report.firstSequenceNumber)
        line.add("store", report.store)
        try maintainer.print(line)
    }

    // MARK: For people

    func writeText(_ store: String) throws(MaintenanceError) {
        for fault in faults { try maintainer.print("\(place(fault)): \(fault.reason)\(fault.lost.text)") }
        for numbers in report.missing {
            try maintainer.print(
                numbers.count == 1
                    ? "missing: record \(numbers.lowerBound)"
                    : "missing: records \(numbers.lowerBound) to \(numbers.upperBound)"
            )
        }
        for record in report.leftOut {
            let id = record.id.map { " of \(TerminalText.escaped(json: $0.spelling))" } ?? ""
            try maintainer.print(
                """
                left out: record \(record.sequenceNumber)\(id), \(record.file) at offset \(record.offset): \
                \(record.reason.sentence)
                """
            )
        }
        if report.unlisted > 0 {
            try maintainer.print("\(report.unlisted.counted("further finding")) not listed")
        }
        if let lost = report.lostFromSnapshot {
            try maintainer.print("\(lost.counted("record")) lost from a snapshot, by the count in its footer")
        }
        try maintainer.print(conclusion(store))
    }

    private func conclusion(_ store: String) -> String {
        let (store, out) = (TerminalText.escaped(store), TerminalText.escaped(out))
        let losses =
            report.isComplete
            ? "nothing is lost"
            : "\(UInt64(faults.count).counted("fault")), \(missingCount.counted("number")) missing, "
                + "\(UInt64(report.leftOut.count).counted("record")) left out"
        let done = report.store == nil ? "could be saved into \(out)" : "saved into \(out) and read back"
        return """
            \(store): \(report.liveRecords.counted("live record")) \(done); \(losses)
            The new store goes on with record \(report.firstSequenceNumber). \(store) is unchanged.
            """
    }

    private func place(_ fault: SalvageReport.Fault) -> String {
        fault.line == 0
            ? fault.file
            : "\(fault.file): line \(fault.line), offset \(fault.offset), \(fault.length.counted("byte"))"
    }
}

extension SalvageReport.LeftOut.Reason {
    fileprivate var sentence: String {
        switch self {
        case .brokenBatch: "another member of its batch is missing"
        case .outOfOrder: "its number does not fit those around it"
        case .misplaced: "such a line may not stand there"
        case .insideDamagedLine: "it only shows inside a damaged line, where a value may look like one"
        case .tornTail: "it stands behind a torn tail, and nobody was told that it is synced"
        }
    }
}

extension JSONLine {
    /// What a damaged line still shows of a record.
    mutating func add(_ lost: DamagedLine?) {
        if let number = lost?.sequenceNumber { add("seq", number) }
        if let id = lost?.id { add("id", json: id.spelling) }
    }
}

extension DamagedLine? {
    /// What a damaged line still shows, as the rest of a sentence.
    var text: String {
        let id = self?.id.map { " of \(TerminalText.escaped(json: $0.spelling))" } ?? ""
        if let number = self?.sequenceNumber { return "; it looks like record \(number)\(id)" }
        return id.isEmpty ? "" : "; it looks like a record\(id)"
    }
}
