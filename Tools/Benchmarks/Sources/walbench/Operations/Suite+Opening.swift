import Foundation

/// P5, P6, P7, P10: opening, each time in a process of its own.
extension Suite {
    func opening() -> Operation {
        let count = datasets.liveCount
        return Operation(
            number: "P5",
            title: "open \(count) live records, all decoded",
            includes: """
                the project compacted and closed cleanly: lock, read, check every checksum, decode into memory; peers: \
                open, scan, decode each record and drop it; a new process each time, the files in the page cache
                """,
            goals: [Goal("<= 0.6 x SQLite scan + decode", "s", of: ["SQLite"], .atMost(0.6))],
            contestants: [
                child(Contestant.project, Child.openProject, { try await datasets.compactedProject() })
            ] + Peers.installed.map { type in scan(type) }
        )
    }

    func openingOnDemand() -> Operation {
        Operation(
            number: "P6",
            title: "open \(datasets.liveCount) live records, decoding on demand",
            includes: """
                the store of P5 with `loading: .onDemand`: lock, read, check every checksum, note where each record is, then \
                find one item; against SQLite's scan and decode of P5
                """,
            goals: [Goal("<= 0.1 x SQLite scan + decode of P5", "s", of: ["SQLite"], .atMost(0.1))],
            contestants: [
                child(
                    Contestant.project,
                    Child.openProjectOnDemand,
                    { try await datasets.compactedProject() }
                )
            ] + Peers.installed.filter { $0.name == "SQLite" }.map { type in scan(type) }
        )
    }

    func openingOverwritten() -> Operation {
        Operation(
            number: "P7",
            title: "open a log of \(datasets.liveCount) records over \(datasets.overwrittenIDs) ids",
            includes: """
                the project never compacted and closed cleanly; against SQLite's scan of as many live records as the log \
                has lines, as in P5
                """,
            goals: [Goal("<= 0.2 x SQLite scan + decode of P5", "s", of: ["SQLite"], .atMost(0.2))],
            contestants: [
                child(Contestant.project, Child.openProject, { try await datasets.overwrittenProject() })
            ] + Peers.installed.filter { $0.name == "SQLite" }.map { type in scan(type) }
        )
    }

    func memory() -> Operation {
        Operation(
            number: "P10",
            title: "memory while opening \(datasets.liveCount) live records",
            includes: """
                VmHWM and VmRSS of a process that does nothing else, read when opening has returned, eagerly and on demand
                """,
            goals: [
                Goal(
                    "peak <= 1.3 x after opening",
                    Goal.Term(Contestant.project, "peak MB"),
                    against: [Goal.Term(Contestant.project, "after MB")],
                    .atMost(1.3)
                ),
                Goal(
                    "on demand <= 0.5 x eager",
                    Goal.Term(Self.onDemand, "after MB"),
                    against: [Goal.Term(Contestant.project, "after MB")],
                    .atMost(0.5)
                ),
            ],
            contestants: [
                child(
                    Contestant.project,
                    Child.openProject,
                    metrics: ["peak MB", "after MB"],
                    { try await datasets.compactedProject() }
                ),
                child(
                    Self.onDemand,
                    Child.openProjectOnDemand,
                    metrics: ["peak MB", "after MB"],
                    { try await datasets.compactedProject() }
                ),
            ]
        )
    }

    private static let onDemand = "on demand"

    private func scan(_ type: any Peer.Type) -> Contestant {
        child(type.name, type.name, { try await datasets.live(type) })
    }

    private func child(
        _ name: String,
        _ task: String,
        metrics: Set<String> = ["s"],
        _ directory: @escaping @Sendable () async throws -> String
    ) -> Contestant {
        Contestant(name) {
            let directory = try await directory()
            return { try await Child.figures(of: task, directory).filter { metrics.contains($0.metric) } }
        }
    }
}
