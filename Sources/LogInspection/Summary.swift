import LogFormat

/// What a store amounts to: its files, its numbers, its bytes.
struct Summary {
    private let verification: Verification
    private let reading: StateReading
    /// The live bytes of each file of the chain that the state was read from.
    private var liveBytes: [StoreFileName: UInt64] = [:]

    init(_ verification: Verification) throws(InspectionError) {
        self.verification = verification
        reading = try StateReading.read(verification, at: nil, into: LiveTable(countsSpent: true))
        var bytes = [UInt64](repeating: 0, count: reading.chain.count)
        for index in reading.live.indices {
            let place = reading.live.place(index)
            bytes[Int(place.file)] += UInt64(place.length)
        }
        for (judgement, bytes) in zip(reading.chain, bytes) { liveBytes[judgement.name] = bytes }
    }

    // MARK: Figures

    /// Where the live records stand, each with the index of its file among those judged.
    var livePlaces: some Sequence<(RecordPlace, Int)> {
        let indices = reading.chain.map { judgement in
            verification.judgements.firstIndex { $0.name == judgement.name } ?? 0
        }
        return reading.live.indices.lazy.map { index in
            let place = reading.live.place(index)
            return (place, indices[Int(place.file)])
        }
    }

    var liveRecords: UInt64 { UInt64(reading.live.count) }

    func liveBytes(of name: StoreFileName) -> UInt64 { liveBytes[name] ?? 0 }

    var store: String? { verification.judgements.lazy.compactMap { $0.header?.store }.last }

    var generation: UInt64 { max(verification.files.base, verification.files.highestLog ?? 0) }

    /// The first number that a log of the store begins with.
    private var firstSequenceNumber: SequenceNumber? {
        verification.judgements.filter { $0.name.kind == .log }.compactMap { $0.header?.firstSequenceNumber }
            .min()
    }

    var totalBytes: UInt64 { verification.files.files.reduce(0) { $0 + $1.length } }

    var allLiveBytes: UInt64 { liveBytes.values.reduce(0, +) }

    /// The highest number known to be on stable storage: said by a line, or by a later log's header.
    var synced: SequenceNumber? {
        let said = verification.judgements.compactMap(\.synced)
        let headers = verification.judgements.filter { $0.name.kind == .log }
            .compactMap { $0.header?.firstSequenceNumber.previous }
        return (said + headers).max()
    }

    var lastTime: Int64? { verification.judgements.compactMap(\.time).max() }

    // MARK: For programs

    func writeJSON(to output: Output) throws(InspectionError) {
        var line = JSONLine()
        line.add("store", store)
        line.add("generation", generation)
        line.add("firstSeq", firstSequenceNumber ?? .first)
        line.add("lastSeq", verification.lastSequenceNumber)
        line.add("liveRecords", UInt64(reading.live.count))
        line.add("liveBytes", allLiveBytes)
        line.add("totalBytes", totalBytes)
        line.add("files", verification.judgements.map(json))
        line.add("synced", synced ?? .zero)
        if let lastTime { line.add("lastAt", lastTime) }
        line.add("verdict", verification.verdict.rawValue)
        try output.write(line.finish())
    }

    private func json(_ judgement: FileJudgement) -> JSONLine {
        var line = JSONLine()
        line.add("file", judgement.name.description)
        line.add("kind", judgement.name.kind.rawValue)
        line.add("generation", judgement.name.generation)
        line.add("bytes", judgement.file.length)
        line.add("liveBytes", liveBytes[judgement.name] ?? 0)
        line.add("records", judgement.records)
        if let first = judgement.header?.firstSequenceNumber { line.add("firstSeq", first) }
        return line
    }

    // MARK: For people

    func writeText(to output: Output, store path: String, now: Int64, _ style: Style) throws(InspectionError)
    {
        try output.write(line: TerminalText.escaped(path))
        try output.write(line: "  store        \(store ?? "unknown: no header can be read")")
        try output.write(
            line: "  verdict      \(style.coloured(verification.verdict.words, verification.verdict))"
        )
        try output.write(line: "  generation   \(generation)")
        try output.write(line: "  numbers      \(numbers)")
        try output.write(line: "  synced       up to \(synced ?? .zero)")
        if let lastTime {
            try output.write(line: "  last record  \(Timestamp.text(lastTime)), \(Self.age(now - lastTime))")
        }
        let dead = totalBytes - min(allLiveBytes, totalBytes)
        let bar = style.bar(allLiveBytes, of: totalBytes)
        try output.write(line: "  live         \(reading.live.count) records, \(allLiveBytes) bytes")
        try output.write(line: "  total        \(totalBytes) bytes, \(dead) of them dead or framing\(bar)")
        try writeFiles(to: output, style)
        let live = reading.live
        try writeLargest("largest records", to: output, style) { UInt64(live.place($0).length) }
        try writeLargest("ids by the bytes of all their lines read", to: output, style) { live.spent($0) }
    }

    var numbers: String {
        let first = firstSequenceNumber ?? .first
        let last = verification.lastSequenceNumber
        return last < first ? "none in the logs, the next is \(last.next)" : "\(first) to \(last) in the logs"
    }

    private func writeFiles(to output: Output, _ style: Style) throws(InspectionError) {
        try output.write(line: "")
        let heading = [Table.left("FILE", 25), Table.right("BYTES", 12), Table.right("LIVE", 12)]
        try output.write(line: "  " + heading.joined(separator: "  ") + "  " + Table.right("RECORDS", 10))
        for judgement in verification.judgements {
            let live = liveBytes[judgement.name] ?? 0
            let columns = [
                Table.left(judgement.name, 25),
                Table.right(judgement.file.length, 12),
                Table.right(live, 12),
                Table.right(judgement.records, 10),
            ]
            let bar = style.bar(live, of: judgement.file.length)
            try output.write(line: "  " + columns.joined(separator: "  ") + bar)
        }
    }

    private func writeLargest(
        _ title: String,
        to output: Output,
        _ style: Style,
        by size: (UInt32) -> UInt64
    ) throws(InspectionError) {
        var largest = Largest<UInt32>(5)
        for index in reading.live.indices {
            largest.insert(index, size(index)) { reading.live.precedes($0, $1) }
        }
        guard let most = largest.list.first?.size else { return }
        try output.write(line: "")
        try output.write(line: "  \(title)")
        for (index, size) in largest.list {
            let shown = TerminalText.escaped(json: reading.live.id(index))
            try output.write(line: "  \(Table.right(size, 12))  \(shown)\(style.bar(size, of: most))")
        }
    }

    static func age(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        return switch seconds {
        case ..<0: "in the future of this machine's clock"
        case ..<120: "\(seconds) seconds ago"
        case ..<7200: "\(seconds / 60) minutes ago"
        case ..<172_800: "\(seconds / 3600) hours ago"
        default: "\(seconds / 86_400) days ago"
        }
    }
}
