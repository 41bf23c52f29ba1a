import LogFormat

/// Prints how the state of a store differs from another's, or from its own at another time, by id.
///
/// Memory grows with the ids of both.
struct Difference {
    let left: StateReading
    let right: StateReading
    let isSameStore: Bool
    let output: Output

    fileprivate enum Kind: String {
        case added
        case removed
        case changed
    }

    /// `right` has to be read besides `left`, so that both number the ids alike.
    init(_ left: StateReading, _ right: StateReading, isSameStore: Bool, output: Output) {
        self.left = left
        self.right = right
        self.isSameStore = isSameStore
        self.output = output
    }

    func run(json: Bool) throws(InspectionError) {
        var counts: [Kind: UInt64] = [:]
        var same: UInt64 = 0
        for index in right.live.allSorted {
            let (old, new) = (left.live.livePlace(index), right.live.livePlace(index))
            guard let kind = try kind(old, new) else {
                same += old == nil ? 0 : 1
                continue
            }
            counts[kind, default: 0] += 1
            let was = try old.map { old throws(InspectionError) in try left.value(of: old) }
            let `is` = try new.map { new throws(InspectionError) in try right.value(of: new) }
            let changes = ValueChanges.between(was, `is`)
            let id = right.live.id(index)
            if json {
                try output.write(line(id, kind, old, new, changes))
            } else {
                try output.write(line: "\(kind.sign) \(TerminalText.escaped(json: id))")
                for change in changes { try output.write(line: "    \(change.text)") }
            }
        }
        let (added, removed, changed) = (counts[.added] ?? 0, counts[.removed] ?? 0, counts[.changed] ?? 0)
        guard json else {
            return try output.write(
                line: "\(added) added, \(removed) removed, \(changed) changed, \(same) the same"
            )
        }
        var line = JSONLine()
        line.add("type", "summary")
        line.add("added", added)
        line.add("removed", removed)
        line.add("changed", changed)
        line.add("same", same)
        try output.write(line.finish())
    }

    /// Nil when the record is the same on both sides, or on neither.
    private func kind(_ old: RecordPlace?, _ new: RecordPlace?) throws(InspectionError) -> Kind? {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, _?): return .added
        case (_?, nil): return .removed
        case (let old?, let new?):
            if isSameStore, old.number == new.number { return nil }
            if old.valueLength != new.valueLength { return .changed }
            return try left.value(of: old) == right.value(of: new) ? nil : .changed
        }
    }

    private func line(
        _ id: [UInt8],
        _ kind: Kind,
        _ old: RecordPlace?,
        _ new: RecordPlace?,
        _ changes: [ValueChange]
    ) -> [UInt8] {
        var line = JSONLine()
        line.add("type", kind.rawValue)
        line.add("id", json: id)
        if let old { line.add("fromSeq", old.number) }
        if let new { line.add("toSeq", new.number) }
        line.add("changes", changes.map(\.json))
        return line.finish()
    }
}

extension Difference.Kind {
    fileprivate var sign: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }
}
