/// What campaigns have tried and found, as a table for people or lines for programs.
package struct CampaignTable {
    private let reports: [Campaign.Report]

    package init(_ reports: [Campaign.Report]) {
        self.reports = reports
    }

    package var text: String {
        reports.map { report in
            let tally = report.tally
            var lines = [
                """
                \(report.layer.rawValue): \(tally.states) states (\(tally.distinct.count) distinct), seeds \
                \(report.seeds.lowerBound)..<\(report.seeds.upperBound), \(report.duration.seconds) s, \
                \(report.rate) states/s, \(tally.failures.count) failures
                """
            ]
            let counts = tally.counts.sorted { $0.key < $1.key }
            lines.append("  " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
            for (reason, count) in tally.skips { lines.append("  skipped \(count): \(reason)") }
            if !report.reachedGoal, tally.failures.isEmpty { lines.append("  BROKEN OFF BEFORE ITS GOAL") }
            for counter in report.missing { lines.append("  NOTHING OF THIS HAPPENED: \(counter)") }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// One JSON object a line for each layer.
    package var json: String {
        reports.map { report in
            let tally = report.tally
            let counts = tally.counts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
            return """
                {"layer":"\(report.layer.rawValue)","firstSeed":\(report.seeds.lowerBound),\
                "seeds":\(report.seeds.count),"states":\(tally.states),"distinct":\(tally.distinct.count),\
                "seconds":\(report.duration.seconds),"failures":\(tally.failures.count),\
                "passed":\(report.isPassed),"counts":{\(counts.joined(separator: ","))}}
                """
        }.joined(separator: "\n")
    }
}

extension Duration {
    /// With one digit behind the point.
    fileprivate var seconds: Double { (self / .milliseconds(100)).rounded() / 10 }
}
