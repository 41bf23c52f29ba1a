import LogEngine
import LogFormat
import LogInspection

/// `quarantine show`: the note of quarantined bytes, and the bytes as far as they are lines.
struct QuarantineDisplay {
    private let maintainer: Maintainer
    private let piece: QuarantinedPiece

    init(_ maintainer: Maintainer, _ store: String, _ name: String) throws(MaintenanceError) {
        self.maintainer = maintainer
        piece = try QuarantinedPiece.named(name, in: StoreAccess(maintainer, store).directory)
    }

    func run(_ form: QuarantineForm) throws(MaintenanceError) {
        switch form {
        case .raw:
            try piece.read { (bytes) throws(MaintenanceError) in
                try inspection { () throws(InspectionError) in try maintainer.output.write(bytes) }
            }
        case .json:
            var note = JSONLine()
            note.add("type", "note")
            try maintainer.print(piece.json(note))
            guard piece.length != nil else { return }
            try piece.lines { (line) throws(MaintenanceError) in try maintainer.print(json(line)) }
        case .text:
            try maintainer.print(piece.text)
            guard piece.length != nil else { return }
            try piece.lines { (line) throws(MaintenanceError) in try maintainer.print(text(line)) }
        }
    }

    // MARK: For programs

    private func json(_ quarantined: QuarantinedLine) -> JSONLine {
        var line = JSONLine()
        switch quarantined {
        case .record(let record, let place):
            line.add("type", "record")
            line.add("offset", place.offset)
            line.add("seq", record.sequenceNumber)
            line.add("at", record.time)
            line.add("op", record.operation.word)
            if record.operation != .mark { line.add("id", json: record.id) }
            if record.operation == .put { line.add("value", json: record.value) }
            if record.more { line.add("more", true) }
            if record.schema != 1 { line.add("schema", record.schema) }
            if place.isInsideDamagedLine { line.add("insideDamagedLine", true) }
        case .damage(let damage):
            line.add(damage)
        case .header(_, let place), .footer(let place):
            if case .header = quarantined { line.add("type", "header") } else { line.add("type", "footer") }
            line.add("offset", place.offset)
            line.add("length", place.length)
        }
        return line
    }

    // MARK: For people

    private func text(_ line: QuarantinedLine) -> String {
        switch line {
        case .record(let record, let place):
            var text = "  offset \(place.offset): record \(record.sequenceNumber), "
            text += "\(Timestamp.text(record.time)), \(record.operation.word)\(record.more ? "+" : "")"
            if record.operation != .mark { text += " \(TerminalText.escaped(json: record.id))" }
            if record.operation == .put {
                text += "  \(TerminalText.shortened(json: record.value, limit: 60))"
            }
            return place.isInsideDamagedLine ? text + "  (inside a damaged line)" : text
        case .damage(let damage):
            return "  \(damage.text)"
        case .header(_, let place):
            return "  offset \(place.offset): a file's header"
        case .footer(let place):
            return "  offset \(place.offset): a snapshot's footer"
        }
    }
}

extension JSONLine {
    mutating func add(_ damage: QuarantinedLine.Damage) {
        add("type", "damage")
        add("offset", damage.range.lowerBound)
        add("length", damage.range.upperBound - damage.range.lowerBound)
        add("reason", damage.reason)
        add(damage.lost)
    }
}

extension QuarantinedLine.Damage {
    var text: String {
        let length = range.upperBound - range.lowerBound
        return "offset \(range.lowerBound): damaged, \(length.counted("byte")): \(reason)\(lost.text)"
    }
}
