import LogFormat

/// Prints each version of a record, as far back as the files reach, and what changed in it.
struct History {
    let verification: Verification
    let id: CanonicalID
    let output: Output

    func run(json: Bool) throws(InspectionError) {
        var before: [UInt8]?
        var count: UInt64 = 0
        try Self.read(verification, id) { (version) throws(InspectionError) in
            let changes = ValueChanges.between(before, version.value)
            if json {
                try output.write(line(version, changes))
            } else {
                try write(version, changes)
            }
            before = version.value
            count += 1
        }
        guard count > 0 else {
            throw .notFound(
                "The store's files hold no version of \(TerminalText.escaped(json: id.spelling))."
            )
        }
    }

    /// One version of a record: a put, or a delete without a value.
    struct Version {
        var number: SequenceNumber
        var time: Int64
        var schema: UInt64
        var value: [UInt8]?
    }

    /// The versions of an id, the oldest first.
    static func read(
        _ verification: Verification,
        _ id: CanonicalID,
        _ take: (Version) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        let chain = verification.base.longestChain
        var changes = ChangeReading(chain, only: id)
        try changes.run { (_, place) throws(InspectionError) in
            try take(try version(at: place, in: chain))
        }
    }

    static func version(at place: RecordPlace, in chain: [FileJudgement]) throws(InspectionError) -> Version {
        let line = try chain[Int(place.file)].file.bytes(place.line)
        let schema = line.withUnsafeBytes { Record(verifying: $0)?.schema } ?? 1
        let value = place.isPut ? Array(line[Int(place.valueStart)..<line.count - 2]) : nil
        return Version(number: place.number, time: place.time, schema: schema, value: value)
    }

    private func line(_ version: Version, _ changes: [ValueChange]) -> [UInt8] {
        var line = JSONLine()
        line.add("id", json: id.spelling)
        line.add("seq", version.number)
        line.add("at", version.time)
        line.add("op", (version.value == nil ? Record.Operation.delete : .put).word)
        if version.schema != 1 { line.add("schema", version.schema) }
        if let value = version.value { line.add("value", json: value) }
        line.add("changes", changes.map(\.json))
        return line.finish()
    }

    private func write(_ version: Version, _ changes: [ValueChange]) throws(InspectionError) {
        let schema = version.schema == 1 ? "" : ", schema \(version.schema)"
        let event =
            if let value = version.value {
                "put, \(UInt64(value.count).counted("byte"))\(schema)"
            } else {
                "delete"
            }
        try output.write(line: "\(version.number)  \(Timestamp.text(version.time))  \(event)")
        if changes.isEmpty { try output.write(line: "    nothing changed") }
        for change in changes { try output.write(line: "    \(change.text)") }
    }
}
