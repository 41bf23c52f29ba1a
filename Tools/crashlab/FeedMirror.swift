import Foundation
import TestSupport
import WALStore

/// A consumer of a feed that is far behind: what it has taken in, kept in a file between its lives.
private struct Mirror: Codable {
    /// The number that it has dealt with.
    var number: UInt64 = 0
    var changes: UInt64 = 0
    var resets = 0
    var faults = 0
    var texts: [String: String] = [:]

    mutating func take(_ change: Change<LabItem>) {
        guard change.kind != .reset else {
            resets += 1
            return
        }
        // Each record is one change: a gap is a change missed, a step back is one repeated.
        if change.sequenceNumber != number + 1 { faults += 1 }
        number = change.sequenceNumber
        changes += 1
        if let id = change.id { texts[id] = change.new?.text }
    }
}

/// Writes many changes, then follows them from the first on while it goes on writing and compacting.
struct FeedMirror: Sendable {
    private let directory: URL
    /// Written before the feed is read, and a tenth as many while it is.
    private let count: Int
    /// Where this life ends; the next goes on from there.
    private let stop: UInt64

    /// Nil when the arguments are not understood.
    init?(_ arguments: ArraySlice<String>) {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard let directory = arguments.first, arguments.count == 3, numbers.count == 2 else { return nil }
        self.directory = URL(filePath: directory, directoryHint: .isDirectory)
        count = numbers[0]
        stop = UInt64(numbers[1])
    }

    func run() async {
        do {
            try await follow()
        } catch {
            report("error \(error)")
            exit(1)
        }
    }

    private func follow() async throws {
        var configuration = StoreConfiguration(durability: .written(syncEvery: .milliseconds(20)))
        configuration.compaction = .automatic(minimumBytes: 1 << 20, multiple: 1)
        configuration.retention = .init(generations: .max, deletes: .all)
        let store = try LocalRepository<LabItem>(directory: directory, configuration: configuration)
        var mirror = try load()
        try await write(count, to: store)
        try await store.flush()
        let start = try Memory.resident()
        var peak = start
        let written = await store.statistics.lastSequenceNumber
        let writing = Task {
            try await write(max(count, 10_000) / 10, to: store)
            try await store.flush()
            return await store.statistics.lastSequenceNumber
        }
        let compacting = Task {
            while !Task.isCancelled {
                try await store.compact()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        var end = UInt64.max
        for try await change in store.changes(since: mirror.number) {
            mirror.take(change)
            if mirror.changes % 2_000 == 0 { peak = max(peak, try Memory.resident()) }
            // Only from here on is it near the writer, and has to know where that ends.
            if mirror.number == written { end = try await writing.value }
            if mirror.number >= min(stop, end) { break }
        }
        compacting.cancel()
        _ = await compacting.result
        let reached = try await writing.value
        let compactions = await store.statistics.compactions
        let isEqual = mirror.number < reached ? "behind" : "\(await texts(of: store) == mirror.texts)"
        report(
            "number \(mirror.number) changes \(mirror.changes) resets \(mirror.resets) faults \(mirror.faults) "
                + "equal \(isEqual) compactions \(compactions) start \(start) peak \(peak)"
        )
        try save(mirror)
    }

    private func texts(of store: LocalRepository<LabItem>) async -> [String: String] {
        Dictionary(uniqueKeysWithValues: await store.loadAll().map { ($0.id, $0.text) })
    }

    private func write(_ count: Int, to store: LocalRepository<LabItem>) async throws {
        let ids = 500
        for first in stride(from: 0, to: count, by: 50) {
            let last = min(first + 50, count)
            let next = await store.statistics.lastSequenceNumber
            try await store.save(
                contentsOf: (first..<last).map { number in
                    LabItem(id: "n\(number &* 7919 % ids)", text: "\(next).\(number)")
                }
            )
            if first % 1_000 == 0 { try await store.delete("n\(first / 1_000 % ids)") }
        }
    }

    // MARK: Between lives

    private var file: URL { directory.appending(path: "mirror.json") }

    private func load() throws -> Mirror {
        guard FileManager.default.fileExists(atPath: file.path) else { return Mirror() }
        return try JSONDecoder().decode(Mirror.self, from: Data(contentsOf: file))
    }

    private func save(_ mirror: Mirror) throws {
        try JSONEncoder().encode(mirror).write(to: file)
    }
}

/// What this process takes, in bytes; 0 where the system is not asked.
enum Memory {
    static func resident() throws -> Int {
        #if os(Linux)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
        #else
            return 0
        #endif
    }
}
