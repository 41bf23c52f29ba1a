import LogFormat

/// Prints the live records of a store by id.
struct Listing {
    let reading: StateReading
    let showsValues: Bool
    let output: Output

    func writeJSON() throws(InspectionError) {
        for index in reading.live.sorted {
            let record = reading.live.place(index)
            var line = JSONLine()
            line.add("id", json: reading.live.id(index))
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
        for index in reading.live.sorted {
            let record = reading.live.place(index)
            var columns = [
                Table.right(record.number, 10),
                Timestamp.text(record.time),
                Table.right(record.valueLength, 10),
                TerminalText.escaped(json: reading.live.id(index)),
            ]
            if showsValues { columns.append(TerminalText.escaped(json: try reading.value(of: record))) }
            try output.write(line: columns.joined(separator: "  "))
        }
    }
}
