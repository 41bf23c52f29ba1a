/// Prints what a verification found.
struct FaultReport {
    let verification: Verification
    let store: String

    // MARK: For programs

    func writeJSON(to output: Output) throws(InspectionError) {
        for fault in verification.faults { try output.write(json(fault).finish()) }
        var summary = JSONLine()
        summary.add("type", "summary")
        summary.add("verdict", verification.verdict.rawValue)
        summary.add("records", verification.records)
        summary.add("lastSeq", verification.lastSequenceNumber)
        summary.add("files", UInt64(verification.files.files.count))
        try output.write(summary.finish())
    }

    private func json(_ fault: Fault) -> JSONLine {
        var line = JSONLine()
        line.add("type", "fault")
        line.add("file", fault.file.description)
        line.add("line", fault.line)
        line.add("offset", fault.offset)
        line.add("length", fault.length)
        line.add("verdict", fault.verdict.rawValue)
        line.add("reason", fault.reason)
        line.add("expected", fault.statedChecksum)
        line.add("found", fault.computedChecksum)
        line.add("remedy", fault.remedyText(store))
        return line
    }

    // MARK: For people

    func writeText(to output: Output, _ style: Style) throws(InspectionError) {
        for fault in verification.faults {
            let kind = style.coloured(fault.kind, fault.verdict)
            try output.write(line: "\(fault.place): \(kind)")
            try output.write(line: "  \(fault.reason)")
            if let stated = fault.statedChecksum, let computed = fault.computedChecksum {
                try output.write(line: "  The line says checksum \(stated), its bytes have \(computed).")
            }
            try output.write(line: "  \(TerminalText.escaped(fault.remedyText(store)))")
        }
        let verdict = style.coloured(verification.verdict.words, verification.verdict)
        let files = verification.files.files.count
        var summary = "\(TerminalText.escaped(store)): \(verdict), \(files) \(files == 1 ? "file" : "files")"
        if verification.verdict != .newerFormat {
            let records = verification.records
            summary += ", \(records) \(records == 1 ? "record" : "records")"
            summary += ", last sequence number \(verification.lastSequenceNumber)"
        }
        try output.write(line: summary)
    }

    /// One line a fault, for a command that shows something else.
    func writeDiagnostics(to output: Output) throws(InspectionError) {
        for fault in verification.faults {
            try output.write(line: "walstore: \(fault.place): \(fault.kind). \(fault.reason)")
        }
        guard verification.verdict != .sound else { return }
        let advice = "\(TerminalText.escaped("walstore verify \(ShellWord(store))")) tells more"
        try output.write(line: "walstore: The store has \(verification.verdict.article); \(advice).")
    }
}

extension Verdict {
    /// For people.
    var words: String {
        switch self {
        case .sound: "sound"
        case .tornTail: "torn tail"
        case .corruption: "corruption"
        case .newerFormat: "newer format"
        }
    }

    fileprivate var article: String {
        switch self {
        case .sound: "no fault"
        case .tornTail: "a torn tail"
        case .corruption: "damage that no crash explains"
        case .newerFormat: "a newer format"
        }
    }
}
