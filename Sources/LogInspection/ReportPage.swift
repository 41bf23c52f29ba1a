import LogFormat

/// The page of a store: one file with nothing to load and no script, in light and dark.
package struct ReportPage {
    let report: StoreReport
    private let store: String
    private let now: Int64
    var html = HTML()

    private var summary: Summary { report.summary }
    private var verdict: Verdict { report.verification.verdict }

    /// `store` is the path that the reader knows it by; `now` the time in milliseconds since 1970.
    package init(_ report: StoreReport, store: String, now: Int64) {
        self.report = report
        self.store = store
        self.now = now
    }

    /// The whole page.
    package consuming func compose() -> String {
        html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        // Whatever a store holds, a browser that reads this loads nothing and runs nothing.
        html.raw(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        )
        html.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
        html.element("title", "", "\(store): \(verdict.words)")
        html.raw("\n<style>\n\(ReportStyle.css)\n</style>\n</head>\n<body>\n<main>\n")
        writeHead()
        writeFaults()
        writeTimeline()
        writeFiles()
        writeIDs()
        writeHistories()
        html.raw("</main>\n</body>\n</html>\n")
        return html.text
    }

    // MARK: Head

    private mutating func writeHead() {
        html.element("h1", "", store)
        html.raw("<p class=\"verdict \(verdict.rawValue)\" id=\"verdict\">\(HTML.escaped(headline))</p>\n")
        html.element(
            "p",
            "class=\"soft\"",
            "Read \(Timestamp.text(now)) by walstore report. Store \(summary.store ?? "unknown")."
        )
        html.raw("\n<section><dl>\n")
        figure("records", "live records", HTML.number(summary.liveRecords))
        figure("lastSeq", "last record", HTML.number(report.verification.lastSequenceNumber.rawValue))
        figure("synced", "known to be synced up to", HTML.number((summary.synced ?? .zero).rawValue))
        figure("generation", "generation", HTML.number(summary.generation))
        figure("bytes", "bytes of all files", HTML.size(summary.totalBytes))
        let (live, total) = (summary.allLiveBytes, summary.totalBytes)
        let share = total == 0 ? "" : ", \((Double(live) / Double(total) * 100).rounded().formattedPercent)"
        figure("live", "bytes of live records", HTML.size(live) + share)
        figure("puts", "puts in the files", HTML.number(report.operations.puts))
        figure("deletes", "deletes in the files", HTML.number(report.operations.deletes))
        if let time = summary.lastTime {
            let age = Summary.age(now - time)
            figure("at", "last change", "\(Timestamp.text(time).prefix(19))Z, \(age)", isWide: true)
        }
        html.raw("</dl></section>\n")
    }

    private var headline: String {
        switch verdict {
        case .sound: "Sound: every line of every file holds."
        case .tornTail: "Torn tail: a crash cut the last append short. No record known to be synced is lost."
        case .corruption: "Corruption: there is damage that no crash explains."
        case .newerFormat: "Newer format: written by a later version; nothing else was judged."
        }
    }

    /// `value` is made here, of numbers.
    private mutating func figure(_ id: String, _ name: String, _ value: String, isWide: Bool = false) {
        html.raw(
            "<div\(isWide ? " class=\"wide\"" : "")><dt>\(HTML.escaped(name))</dt><dd id=\"\(id)\">\(value)</dd></div>\n"
        )
    }

    // MARK: Faults

    private mutating func writeFaults() {
        let faults = report.verification.faults
        guard !faults.isEmpty else { return }
        html.raw(
            "<section><h2>What is wrong: <span id=\"faults\">\(faults.count)</span> \(faults.count == 1 ? "place" : "places")</h2>\n<ol class=\"faults\">\n"
        )
        for fault in faults.prefix(Self.faultLimit) {
            html.raw("<li class=\"\(fault.verdict.rawValue)\">")
            html.element("strong", "", fault.kind)
            html.element("p", "class=\"soft\"", fault.place)
            html.element("p", "", fault.reason)
            if let stated = fault.statedChecksum, let computed = fault.computedChecksum {
                html.element("p", "", "The line says checksum \(stated), its bytes have \(computed).")
            }
            html.element("p", "", fault.remedyText(store))
            html.raw("</li>\n")
        }
        html.raw("</ol>\n")
        if faults.count > Self.faultLimit {
            html.element(
                "p",
                "class=\"soft\"",
                "\(faults.count - Self.faultLimit) more are listed by walstore verify."
            )
        }
        html.raw("</section>\n")
    }

    private static let faultLimit = 100

    // MARK: Ids

    private mutating func writeIDs() {
        guard let most = report.fattest.first?.group.bytes else { return }
        html.raw("<section><h2>The ids with the most bytes</h2>\n<div class=\"scroll\"><table>\n")
        html.raw(
            "<tr><th>id</th><th class=\"n\">records</th><th class=\"n\">bytes</th><th class=\"bar\"></th></tr>\n"
        )
        for (id, group) in report.fattest {
            html.raw("<tr><td class=\"id\"><code>\(Self.text(id.spelling, limit: 120))</code></td>")
            html.raw(
                "<td class=\"n\">\(HTML.number(group.records))</td><td class=\"n\">\(HTML.size(group.bytes))</td>"
            )
            html.raw("<td class=\"bar\">\(Self.bar([(group.bytes, "flive")], of: most))</td></tr>\n")
        }
        html.raw("</table></div></section>\n")
    }

    /// A JSON text, shortened, safe.
    static func text(_ bytes: [UInt8], limit: Int) -> String {
        HTML.escaped(bytes.withUnsafeBytes { TerminalText.shortened(json: $0, limit: limit) })
    }

    /// A bar of parts, from the left.
    static func bar(_ parts: [(UInt64, String)], of whole: UInt64) -> String {
        var text = "<svg viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        var place = 0.0
        for (bytes, style) in parts where whole > 0 {
            let width = Double(bytes) / Double(whole) * 100
            text +=
                "<rect class=\"\(style)\" x=\"\(HTML.decimal(place))\" width=\"\(HTML.decimal(width))\" height=\"1\"/>"
            place += width
        }
        return text + "</svg>"
    }

    // MARK: Histories

    private mutating func writeHistories() {
        guard !report.histories.isEmpty else { return }
        html.raw(
            "<section><h2>History</h2>\n<p class=\"soft\">Up to 20 of the newest versions an id. walstore report --id ID adds one.</p>\n"
        )
        for (index, history) in report.histories.enumerated() {
            let isChosen = index < report.chosenCount
            html.raw(
                "<details class=\"history\"\(isChosen ? " open" : "")><summary><code>\(Self.text(history.id.spelling, limit: 120))</code>"
            )
            html.raw(
                " <span class=\"soft\">\(UInt64(history.versions.count).counted("version"))</span></summary>\n"
            )
            if history.versions.isEmpty {
                html.element("p", "class=\"soft\"", "The files hold no version of it.")
            }
            for version in history.versions.reversed() { write(version) }
            html.raw("</details>\n")
        }
        html.raw("</section>\n")
    }

    private mutating func write(_ version: StoreReport.Version) {
        let record = version.version
        let event = record.value.map { "put, \(UInt64($0.count).counted("byte"))" } ?? "delete"
        html.raw("<div class=\"version\">")
        html.element(
            "p",
            "class=\"soft\"",
            "record \(record.number), \(Timestamp.text(record.time)), \(event)"
        )
        html.raw("<ul>")
        for change in version.changes.prefix(Self.changeLimit) {
            html.element("li", "class=\"value\"", change.text)
        }
        if version.changes.isEmpty { html.element("li", "class=\"soft\"", "nothing changed") }
        if version.changes.count > Self.changeLimit {
            html.element(
                "li",
                "class=\"soft\"",
                "and \(version.changes.count - Self.changeLimit) more changes"
            )
        }
        html.raw("</ul></div>\n")
    }

    private static let changeLimit = 20
}

extension Double {
    fileprivate var formattedPercent: String { "\(Int(self)) %" }
}
