/// Prints what was counted.
struct StatisticsReport {
    let statistics: Statistics
    let key: StatisticsKey
    let limit: Int?
    let output: Output

    // MARK: For programs

    func writeJSON() throws(InspectionError) {
        try statistics.forEachGroup(limit: limit) { (name, group) throws(InspectionError) in
            var line = JSONLine()
            line.add("type", "group")
            switch name {
            case .id(let id): line.add("id", json: id)
            case .operation(let operation): line.add("op", operation.word)
            case .hour(let time): line.add("hour", time)
            case .size(let bytes): line.add("upTo", bytes)
            }
            line.add("records", group.records)
            line.add("bytes", group.bytes)
            try output.write(line.finish())
        }
        var line = JSONLine()
        line.add("type", "summary")
        line.add("by", key.rawValue)
        line.add("groups", UInt64(statistics.groupCount))
        line.add("records", statistics.total.records)
        line.add("bytes", statistics.total.bytes)
        try output.write(line.finish())
    }

    // MARK: For people

    /// Ids that are shown when nobody says how many.
    private static let usualLimit = 20

    func writeText(_ style: Style) throws(InspectionError) {
        let limit = limit ?? Self.usualLimit
        var most: UInt64 = 0
        try statistics.forEachGroup(limit: limit) { _, group in most = max(most, group.bytes) }
        let heading = [Table.right("RECORDS", 10), Table.right("BYTES", 12), key.heading]
        try output.write(line: heading.joined(separator: "  "))
        try statistics.forEachGroup(limit: limit) { (name, group) throws(InspectionError) in
            let columns = [
                Table.right(group.records, 10), Table.right(group.bytes, 12), name.text,
            ]
            try output.write(
                line: columns.joined(separator: "  ") + style.bar(group.bytes, of: most)
            )
        }
        let total = statistics.total
        let columns = [
            Table.right(total.records, 10), Table.right(total.bytes, 12), "all, marks included",
        ]
        try output.write(line: columns.joined(separator: "  "))
        let rest = statistics.groupCount - min(limit, statistics.groupCount)
        if key == .id, rest > 0 {
            try output.write(line: "\(UInt64(rest).counted("more id")) not shown; --top N shows more")
        }
    }
}

extension StatisticsKey {
    fileprivate var heading: String {
        switch self {
        case .id: "ID"
        case .operation: "OP"
        case .hour: "HOUR"
        case .size: "LINES UP TO"
        }
    }
}

extension Statistics.GroupName {
    fileprivate var text: String {
        switch self {
        case .id(let id): TerminalText.escaped(json: id)
        case .operation(let operation): operation.word
        case .hour(let time): "\(Timestamp.text(time).prefix(13)):00Z"
        case .size(let bytes): bytes.counted("byte")
        }
    }
}
