import LogFormat

/// Prints the live records of a store by id.
struct Listing {
    let reading: StateReading
    let showsValues: Bool
    let output: Output

    func writeJSON() throws(InspectionError) {
        for (id, record) in reading.sorted {
            var line = JSONLine()
            line.add("id", json: id.spelling)
            line.add("seq", record.number)
            line.add("at", record.time)
            line.add("bytes", record.valueLength)
            if showsValues { line.add("value", json: try reading.value(of: record)) }
            try output.write(line.finish())
        }
    }

    func writeText() throws(InspectionError) {
        let heading = [Table.right("SEQ", 10), Table.left("TIME", 24), Table.right("BYTES", 10), "ID"]
        try output.write(line: heading.joined(separator: "  ") + (showsValues ? "  VALUE" : ""))
        for (id, record) in reading.sorted {
            var columns = [
                Table.right(record.number, 10),
                Timestamp.text(record.time),
                Table.right(record.valueLength, 10),
                TerminalText.escaped(json: id.spelling),
            ]
            if showsValues { columns.append(TerminalText.escaped(json: try reading.value(of: record))) }
            try output.write(line: columns.joined(separator: "  "))
        }
    }
}

extension LiveRecord {
    /// The bytes of the value's JSON text.
    var valueLength: UInt64 { value.upperBound - value.lowerBound }
    /// The bytes of the line, its LF included.
    var lineLength: UInt64 { line.upperBound - line.lowerBound }
}
