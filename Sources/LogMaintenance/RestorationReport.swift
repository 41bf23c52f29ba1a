import LogFormat
import LogInspection

/// Prints what a restoration brought back and what not.
struct RestorationReport {
    let choice: RestorationChoice
    let damages: [QuarantinedLine.Damage]
    let name: String
    let isWritten: Bool
    let maintainer: Maintainer

    // MARK: For programs

    func writeJSON() throws(MaintenanceError) {
        for restored in choice.restored {
            var line = JSONLine()
            line.add("type", "restored")
            line.add("seq", restored.record.sequenceNumber)
            line.add("newSeq", restored.newNumber)
            line.add("op", restored.record.word)
            line.add("id", json: restored.record.id.spelling)
            if restored.record.isBatchIncomplete { line.add("incompleteBatch", true) }
            try maintainer.print(line)
        }
        for skipped in choice.skipped {
            var line = JSONLine()
            line.add("type", "skipped")
            line.add("seq", skipped.record.sequenceNumber)
            line.add("op", skipped.record.word)
            line.add("id", json: skipped.record.id.spelling)
            line.add("reason", skipped.newer == nil ? "insideDamagedLine" : "writtenSince")
            if let newer = skipped.newer { line.add("liveSeq", newer) }
            try maintainer.print(line)
        }
        for damage in damages {
            var line = JSONLine()
            line.add(damage)
            try maintainer.print(line)
        }
        var summary = JSONLine()
        summary.add("type", "summary")
        summary.add("name", name)
        summary.add("written", isWritten && !choice.restored.isEmpty)
        summary.add("restored", UInt64(choice.restored.count))
        summary.add("skipped", UInt64(choice.skipped.count))
        summary.add("damaged", UInt64(damages.count))
        summary.add("lastSeq", choice.lastSequenceNumber)
        try maintainer.print(summary)
    }

    // MARK: For people

    func writeText(_ store: String) throws(MaintenanceError) {
        for restored in choice.restored {
            let batch = restored.record.isBatchIncomplete ? "; its batch was cut short" : ""
            try maintainer.print(
                """
                \(isWritten ? "restored" : "would restore"): \(restored.record.text) as record \
                \(restored.newNumber)\(batch)
                """
            )
        }
        for skipped in choice.skipped {
            let reason =
                skipped.newer.map { "its id was written again since, by record \($0)" }
                ?? "it only shows inside a damaged line"
            try maintainer.print("skipped: \(skipped.record.text): \(reason)")
        }
        for damage in damages { try maintainer.print(damage.text) }
        let count = UInt64(choice.restored.count).counted("record")
        try maintainer.print(
            """
            \(TerminalText.escaped(store)): \(count) \(isWritten ? "restored" : "would be restored"), \
            \(choice.skipped.count) skipped, \(UInt64(damages.count).counted("damaged piece")); \
            the bytes stay in quarantine
            """
        )
    }
}

extension LostRecord {
    fileprivate var text: String {
        "record \(sequenceNumber), \(word) of \(TerminalText.escaped(json: id.spelling))"
    }
}
