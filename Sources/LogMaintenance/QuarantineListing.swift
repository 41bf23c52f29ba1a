import LogEngine
import LogInspection

/// `quarantine list`: what recovery cut and kept.
struct QuarantineListing {
    private let maintainer: Maintainer
    private let directory: StoreDirectory

    init(_ maintainer: Maintainer, _ store: String) throws(MaintenanceError) {
        self.maintainer = maintainer
        directory = try StoreAccess(maintainer, store).directory
    }

    func run(json: Bool) throws(MaintenanceError) {
        let listing = try engine { () throws(EngineError) in try directory.listing() }
        guard let listing, listing.hasStore || listing.hasQuarantine else {
            throw MaintenanceError(
                .noStore,
                "\(directory.path) holds neither a log nor a snapshot, and no quarantine."
            )
        }
        let pieces = try QuarantinedPiece.all(in: directory)
        if json {
            for piece in pieces { try maintainer.print(piece.json()) }
        } else if pieces.isEmpty {
            try maintainer.print("\(TerminalText.escaped(directory.path)): nothing is in quarantine")
        } else {
            for piece in pieces { try maintainer.print(piece.text) }
        }
    }
}

extension QuarantinedPiece {
    /// The members that list and show print, behind others that are there already.
    func json(_ line: consuming JSONLine = JSONLine()) -> JSONLine {
        line.add("name", name)
        line.add("file", file)
        if let offset { line.add("offset", offset) }
        line.add("length", length ?? 0)
        if let time = note?.time { line.add("time", time) }
        if let reason = note?.reason { line.add("reason", reason) }
        if let problem { line.add("problem", problem) }
        return line
    }

    var text: String {
        var text = "\(name): \((length ?? 0).counted("byte"))"
        if let time = note?.time { text += ", cut \(Timestamp.text(time))" }
        if let reason = note?.reason { text += ": \(reason)" }
        if let problem { text += " (\(problem))" }
        return TerminalText.escaped(text)
    }
}
