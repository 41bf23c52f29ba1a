import LogFormat

/// How `export` writes values.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// One array, as the library's own export.
    case json
    /// A value a line.
    case jsonl
    /// A table: a row a record, a column a member.
    case csv
}

/// Prints the values of the live records by id, as plain data.
///
/// Memory grows with the ids and with the longest value, not with all values.
struct Export {
    let reading: StateReading
    let output: Output
    let watch: ReadingWatch

    func run(_ format: ExportFormat) throws(InspectionError) {
        switch format {
        case .json: try writeArray()
        case .jsonl:
            try forEachValue { (_, value) throws(InspectionError) in
                try output.write(value)
                try output.write("\n")
            }
        case .csv: try writeTable()
        }
    }

    private func writeArray() throws(InspectionError) {
        var isFirst = true
        try output.write("[")
        try forEachValue { (_, value) throws(InspectionError) in
            try output.write(isFirst ? "\n" : ",\n")
            try output.write(value)
            isFirst = false
        }
        try output.write("\n]\n")
    }

    private func forEachValue(_ body: (UInt32, [UInt8]) throws(InspectionError) -> Void)
        throws(InspectionError)
    {
        let order = reading.live.sorted
        let total = order.reduce(0) { $0 + reading.live.place($1).valueLength }
        var done: UInt64 = 0
        for index in order {
            let place = reading.live.place(index)
            try body(index, try reading.value(of: place))
            done += place.valueLength
            try watch.advance("values", done, of: total)
        }
    }

    // MARK: A table

    /// Two readings: one for the names of the columns, one for the rows.
    private func writeTable() throws(InspectionError) {
        var columns = ExportColumns()
        try forEachValue { (index, value) throws(InspectionError) in
            try columns.observe(id: reading.live.id(index), value)
        }
        try output.write(columns.heading)
        try forEachValue { (index, value) throws(InspectionError) in
            try output.write(columns.row(id: reading.live.id(index), value))
        }
    }
}
