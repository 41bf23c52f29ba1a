package import LogFormat

/// Prints records in the order of the files, those behind damage too.
struct Dump {
    let verification: Verification
    let selection: RecordSelection
    let form: DumpForm
    let output: Output

    func run() throws(InspectionError) {
        for judgement in verification.judgements { try dump(judgement) }
    }

    private func dump(_ judgement: FileJudgement) throws(InspectionError) {
        // Of a sound file no more than was judged: a writer may have gone on in space it wrote ahead.
        let end = judgement.isSound ? judgement.end : judgement.file.length
        var reader = FileReader(judgement.file, to: end)
        var isFirst = true
        while let line = try reader.next() {
            guard case .record(let record, let place) = line, selection.includes(record) else { continue }
            let isTorn = judgement.tornFrom.map { place.offset >= $0 } ?? false
            switch form {
            case .raw:
                try output.write(record.line)
            case .json:
                try output.write(json(record, place, isTorn, in: judgement.name).finish())
            case .table:
                if isFirst { try writeHeading(judgement.name) }
                isFirst = false
                try output.write(line: row(record, place, isTorn))
            }
        }
    }

    // MARK: Forms

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

    private func writeHeading(_ file: StoreFileName) throws(InspectionError) {
        try output.write(line: "\(file)")
        let columns = [
            Table.right("OFFSET", 10), Table.right("SEQ", 10), Table.left("TIME", 24), Table.left("OP", 7),
        ]
        try output.write(line: columns.joined(separator: "  ") + "  ID  VALUE")
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
