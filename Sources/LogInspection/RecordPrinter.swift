import LogFormat

/// Prints records as they stand in the files.
struct RecordPrinter {
    let form: RecordForm
    let output: Output

    func write(_ record: Record, _ place: LinePlace, isTorn: Bool = false, in file: StoreFileName)
        throws(InspectionError)
    {
        switch form {
        case .raw: try output.write(record.line)
        case .json: try output.write(json(record, place, isTorn, in: file).finish())
        case .table: try output.write(line: row(record, place, isTorn))
        }
    }

    /// The words over a table's columns.
    func writeHeading() throws(InspectionError) {
        let columns = [
            Table.right("OFFSET", 10), Table.right("SEQ", 10), Table.left("TIME", 24), Table.left("OP", 7),
        ]
        try output.write(line: columns.joined(separator: "  ") + "  ID  VALUE")
    }

    private func json(_ record: Record, _ place: LinePlace, _ isTorn: Bool, in file: StoreFileName)
        -> JSONLine
    {
        var line = JSONLine()
        line.add("file", file.description)
        line.add("line", place.line)
        line.add("offset", place.offset)
        line.add("seq", record.sequenceNumber)
        line.add("at", record.time)
        line.add("op", record.operation.word)
        if record.operation != .mark { line.add("id", json: record.id) }
        if record.operation == .put { line.add("value", json: record.value) }
        if let synced = record.synced { line.add("synced", synced) }
        if record.more { line.add("more", true) }
        if record.schema != 1 { line.add("schema", record.schema) }
        if isTorn { line.add("torn", true) }
        if place.isInsideDamagedLine { line.add("insideDamagedLine", true) }
        return line
    }

    private func row(_ record: Record, _ place: LinePlace, _ isTorn: Bool) -> String {
        var columns = [
            Table.right(place.offset, 10),
            Table.right(record.sequenceNumber, 10),
            Timestamp.text(record.time),
        ]
        if record.operation == .mark {
            columns.append(record.operation.word)
        } else {
            // The plus: the next record belongs to the same batch.
            columns.append(Table.left(record.operation.word + (record.more ? "+" : ""), 7))
            columns.append(TerminalText.escaped(json: record.id))
        }
        if record.operation == .put { columns.append(TerminalText.shortened(json: record.value, limit: 60)) }
        if isTorn { columns.append("(torn tail: does not count)") }
        if place.isInsideDamagedLine { columns.append("(inside a damaged line)") }
        return columns.joined(separator: "  ")
    }
}

extension Record.Operation {
    /// As in the file.
    package var word: String {
        switch self {
        case .put: "put"
        case .delete: "delete"
        case .mark: "mark"
        }
    }
}
