/// The drawings of a store's page.
extension ReportPage {
    // MARK: Over time

    /// Room for so many is there: one span alone should not look like a wall.
    private static let fewestSpans = 24

    mutating func writeTimeline() {
        let timeline = report.timeline
        guard !timeline.spans.isEmpty else { return }
        html.raw("<section><h2>Over time</h2>\n")
        let most = timeline.spans.map(\.operations).max() ?? 0
        html.element("h3", "", "Operations, at most \(most) in \(Self.duration(timeline.width))")
        key([("bput", "puts"), ("bdelete", "deletes")])
        chart("operations over time", most) { span in [(span.puts, "fput"), (span.deletes, "fdelete")] }
        axis()
        let bytes = timeline.spans.map(\.bytes).max() ?? 0
        html.element(
            "h3",
            "",
            "Bytes of their lines, at most \(HTML.size(bytes)) in \(Self.duration(timeline.width))"
        )
        chart("bytes over time", bytes) { span in [(span.bytes, "fbytes")] }
        axis()
        html.raw("</section>\n")
    }

    private mutating func chart(
        _ label: String,
        _ most: UInt64,
        _ parts: (Timeline.Span) -> [(UInt64, String)]
    ) {
        let timeline = report.timeline
        let count = max(timeline.spans.count, Self.fewestSpans)
        html.raw(
            "<svg class=\"chart\" viewBox=\"0 0 \(count) 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(label)\">"
        )
        for (index, span) in timeline.spans.enumerated() where most > 0 {
            var top = 100.0
            let parts = parts(span).filter { $0.0 > 0 }
            guard !parts.isEmpty else { continue }
            let amounts = parts.map { HTML.number($0.0) }.joined(separator: " + ")
            html.raw("<g><title>\(Timestamp.text(timeline.time(of: index))): \(amounts)</title>")
            for (amount, style) in parts {
                // What is there can be seen.
                let height = max(Double(amount) / Double(most) * 100, 0.75)
                top -= height
                html.raw(
                    "<rect class=\"\(style)\" x=\"\(HTML.decimal(Double(index) + 0.1))\" y=\"\(HTML.decimal(max(top, 0)))\" width=\"0.8\" height=\"\(HTML.decimal(height))\"/>"
                )
            }
            html.raw("</g>")
        }
        html.raw("</svg>\n")
    }

    private mutating func axis() {
        let timeline = report.timeline
        let count = max(timeline.spans.count, Self.fewestSpans)
        html.raw("<div class=\"axis\">")
        // Milliseconds where they matter.
        let digits = timeline.width < 1000 ? 23 : 19
        for place in [0, count / 2, count] {
            let text = Timestamp.text(timeline.time(of: place))
            // The day and the time of day, which may stand below each other where there is little room.
            html.element("span", "", "\(text.prefix(10)) \(text.prefix(digits).dropFirst(11))Z")
        }
        html.raw("</div>\n")
    }

    private mutating func key(_ marks: [(String, String)]) {
        html.raw("<ul class=\"key\">")
        for (style, name) in marks { html.raw("<li><i class=\"\(style)\"></i>\(HTML.escaped(name))</li>") }
        html.raw("</ul>\n")
    }

    private static func duration(_ milliseconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (604_800_000, "week"), (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"),
            (1000, "second"),
        ]
        let (length, name) = units.first { milliseconds % $0.0 == 0 } ?? (1, "millisecond")
        return UInt64(milliseconds / length).counted(name)
    }

    // MARK: Files

    mutating func writeFiles() {
        let judgements = report.verification.judgements
        html.raw(
            "<section><h2><span id=\"files\">\(report.verification.files.files.count)</span> \(report.verification.files.files.count == 1 ? "file" : "files")</h2>\n"
        )
        key([
            ("blive", "live records"), ("bdead", "dead records"), ("bother", "headers, padding, marks"),
            ("btorn", "torn tail"), ("bcorrupt", "corruption"),
        ])
        for (index, judgement) in judgements.enumerated() {
            let (bytes, live) = (judgement.file.length, report.summary.liveBytes(of: judgement.name))
            let verdict = judgement.faults.map(\.verdict).max() ?? .sound
            html.raw(
                "<h3>\(judgement.name) <span class=\"\(verdict.rawValue)\">\(verdict.words)</span></h3>\n"
            )
            html.element(
                "p",
                "class=\"soft\"",
                "\(judgement.records.counted("record")), \(HTML.size(bytes)), live \(HTML.size(live)), dead or framing \(HTML.size(bytes - min(live, bytes)))"
            )
            map(report.maps[index], judgement.faults)
            html.raw("<div class=\"axis\"><span>byte 0</span><span>byte \(bytes)</span></div>\n")
        }
        html.raw("</section>\n")
    }

    /// From the first byte to the last: live and dead records by their share of each piece, faults where
    /// they stand.
    private mutating func map(_ map: FileMap, _ faults: [Fault]) {
        html.raw(
            "<svg class=\"map\" viewBox=\"0 0 \(FileMap.pieces) 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"map of the file\">"
        )
        for run in MapRun.runs(of: map) {
            html.raw(
                "<rect class=\"\(run.style)\" x=\"\(run.start)\" y=\"\(HTML.decimal(run.top))\" width=\"\(run.count)\" height=\"\(HTML.decimal(run.height))\"/>"
            )
        }
        for fault in faults {
            let start = map.place(fault.offset)
            // A single byte can be seen, too.
            let width = max(map.place(fault.offset + fault.length) - start, 1)
            let place = min(start, Double(FileMap.pieces) - width)
            let style = fault.verdict == .tornTail ? "ftorn" : "fcorrupt"
            html.raw(
                "<rect class=\"\(style)\" x=\"\(HTML.decimal(place))\" width=\"\(HTML.decimal(width))\" height=\"10\">"
            )
            html.element("title", "", "\(fault.kind), \(fault.place). \(fault.reason)")
            html.raw("</rect>")
        }
        html.raw("</svg>\n")
    }
}

/// Neighbouring pieces of a map that look the same.
private struct MapRun {
    var start: Int
    var count: Int
    var style: String
    /// From 0, the upper edge, to 10.
    var top: Double
    var height: Double

    /// In tenths of a piece's height: live records from below, dead ones on them.
    static func runs(of map: FileMap) -> [MapRun] {
        var runs: [MapRun] = []
        var (lastLive, lastDead) = (MapRun?.none, MapRun?.none)
        for piece in 0..<FileMap.pieces {
            let length = Double(max(1, map.start(piece + 1) - map.start(piece)))
            let live = (min(1, Double(map.live[piece]) / length) * 10).rounded()
            let records = (min(1, Double(map.records[piece]) / length) * 10).rounded()
            let dead = max(0, records - live)
            extend(&lastLive, piece, "flive", 10 - live, live, &runs)
            extend(&lastDead, piece, "fdead", 10 - live - dead, dead, &runs)
        }
        return runs + [lastLive, lastDead].compactMap { $0 }
    }

    private static func extend(
        _ last: inout MapRun?,
        _ piece: Int,
        _ style: String,
        _ top: Double,
        _ height: Double,
        _ runs: inout [MapRun]
    ) {
        if let run = last, run.top == top, run.height == height {
            last?.count += 1
            return
        }
        if let run = last { runs.append(run) }
        last = height > 0 ? MapRun(start: piece, count: 1, style: style, top: top, height: height) : nil
    }
}
