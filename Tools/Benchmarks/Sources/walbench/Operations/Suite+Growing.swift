import Foundation
import Glibc
import WALStore

/// P13, P14: what a large store costs.
extension Suite {
    func growingStore() -> Operation {
        let sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].dropLast(options.isQuick ? 2 : 0)
        let names = sizes.map { "\($0) records" }
        func flat(_ metric: String, _ text: String) -> Goal {
            Goal(
                "\(text): the largest <= 1.2 x the smallest",
                Goal.Term(names.last ?? "", metric),
                against: [Goal.Term(names.first ?? "", metric)],
                .atMost(1.2)
            )
        }
        return Operation(
            number: "P13",
            title: "cost of a save as the store grows",
            includes: """
                the project; saves of random ids that are there, one after the other: unsynced (mean of \
                \(options.scaled(40_000))) and each followed by `flush()` (p50 of \(options.scaled(2_000))); all stores \
                open at once, compaction manual
                """,
            goals: [flat("save + flush p50 µs", "synced"), flat("save mean µs", "unsynced")],
            contestants: zip(names, sizes).map { sizedStore($0, $1) }
        )
    }

    private func sizedStore(_ name: String, _ records: Int) -> Contestant {
        let (synced, unsynced) = (options.scaled(2_000), options.scaled(40_000))
        return Contestant(name) {
            let directory = try scratch.kept("growing-\(records)")
            let written = try ProjectStore.open(directory, ProjectStore.unsynced, compaction: .manual)
            try await ProjectStore.fill(written, (0..<records).lazy.map { Document($0) })
            try await written.flush()
            return {
                var generator = Generator(seed: 13)
                let documents = (0..<unsynced).map {
                    Document(Int.random(in: 0..<records, using: &generator), revision: $0)
                }
                scratch.settle()
                let time = try await seconds {
                    for document in documents { try await written.save(document) }
                }
                scratch.settle()
                var samples = Samples(capacity: synced)
                for document in documents.prefix(synced) {
                    let start = ContinuousClock.now
                    try await written.save(document)
                    try await written.flush()
                    samples.add(ContinuousClock.now - start)
                }
                return [
                    Figure("save mean µs", time / Double(unsynced) * 1e6),
                    Figure("save + flush p50 µs", samples.percentile(0.5)),
                ]
            }
        }
    }

    func stalls() -> Operation {
        let records = datasets.liveCount
        return Operation(
            number: "P14",
            title: "longest stall while a store grows from \(records) to \(2 * records) records",
            includes: """
                the project, unsynced so that no sync is in the figures; a save of a new id, each followed by a find, one \
                task; by the clock, and by the process's processor time, which leaves out what others on the machine \
                took; beside it a plain dictionary
                """,
            goals: [
                Goal("save <= 5 ms", Goal.Term(Contestant.project, "save ms"), .atMost(5)),
                Goal("find <= 5 ms", Goal.Term(Contestant.project, "find ms"), .atMost(5)),
            ],
            contestants: [
                Contestant(Contestant.project) { try await projectStalls(records) },
                Contestant("plain dictionary") { try await Threads.run { dictionaryStalls(records) } },
            ]
        )
    }

    private func projectStalls(_ records: Int) async throws -> [Figure] {
        try await scratch.fresh("growing") { directory in
            let repository = try ProjectStore.open(directory, ProjectStore.unsynced, compaction: .manual)
            try await ProjectStore.fill(repository, (0..<records).lazy.map { Document($0) })
            scratch.settle()
            var (save, find) = (Stall(), Stall())
            for number in records..<2 * records {
                let document = Document(number)
                save.begin()
                try await repository.save(document)
                save.end()
                find.begin()
                let found = await repository.find(by: document.id)
                find.end()
                guard found != nil else { throw Failure("\(document.id) is missing.") }
            }
            return save.figures("save") + find.figures("find")
        }
    }

    private func dictionaryStalls(_ records: Int) -> [Figure] {
        var documents: [String: Document] = [:]
        for number in 0..<records { documents[Document.id(number)] = Document(number) }
        var save = Stall()
        for number in records..<2 * records {
            let document = Document(number)
            save.begin()
            documents[document.id] = document
            save.end()
        }
        return save.figures("save")
    }
}

/// The longest of many calls, by two clocks.
private struct Stall {
    private var start = ContinuousClock.now
    private var startOfWork: UInt64 = 0
    private var longest: Duration = .zero
    private var longestWork: UInt64 = 0

    mutating func begin() {
        startOfWork = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID)
        start = ContinuousClock.now
    }

    mutating func end() {
        longest = max(longest, ContinuousClock.now - start)
        longestWork = max(longestWork, clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID) - startOfWork)
    }

    func figures(_ name: String) -> [Figure] {
        [
            Figure("\(name) ms", longest.inSeconds * 1e3),
            Figure("\(name) ms of processor time", Double(longestWork) / 1e6),
        ]
    }
}

private func clock_gettime_nsec(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
