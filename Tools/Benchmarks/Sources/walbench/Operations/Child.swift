import Foundation
import WALStore

/// A process of its own for what a process does once: opening a store, with nothing in memory before.
enum Child {
    static let openProject = "project"
    static let openProjectOnDemand = "project on demand"

    /// Opens a store of so many documents, saves, finds and compacts.
    static func useProject(_ records: Int) -> String { "use \(records)" }

    /// What such a process reports.
    private struct Report: Codable {
        var figures: [String: Double]

        init(_ figures: [String: Double]) {
            self.figures = figures
        }

        /// Of an opening that has just returned.
        init(seconds: Double) throws {
            figures = ["s": seconds, "peak MB": try Memory.peak(), "after MB": try Memory.resident()]
        }
    }

    /// In the parent: runs the process and returns its figures.
    static func figures(of task: String, _ directory: String) async throws -> [Figure] {
        let output = try await Threads.run {
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--child", task, directory]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure("The process that opens \(directory) ended with \(process.terminationStatus).")
            }
            return data
        }
        let report = try JSONDecoder().decode(Report.self, from: output)
        return report.figures.sorted { $0.key < $1.key }.map { Figure($0.key, $0.value) }
    }

    /// In the child: opens, and prints what that took.
    static func run(_ task: String, _ directory: String) async throws {
        let report =
            switch task {
            case openProject: try await project(directory, .eager)
            case openProjectOnDemand: try await project(directory, .onDemand)
            case let task where task.hasPrefix("use "): try await use(directory, Int(task.dropFirst(4)) ?? 0)
            default: try peer(task, directory)
            }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(report))
    }

    private static func project(
        _ directory: String,
        _ loading: StoreConfiguration.Loading
    ) async throws -> Report {
        let start = ContinuousClock.now
        let repository = try ProjectStore.open(directory, compaction: .manual, loading: loading)
        guard await repository.find(by: Document.id(0)) != nil else {
            throw Failure("\(directory) lacks its first document.")
        }
        let time = ContinuousClock.now - start
        return try withExtendedLifetime(repository) {
            try Report(seconds: time.inSeconds)
        }
    }

    private static func use(_ directory: String, _ records: Int) async throws -> Report {
        let start = ContinuousClock.now
        let repository = try ProjectStore.open(directory, compaction: .manual)
        var figures = ["open s": (ContinuousClock.now - start).inSeconds, "memory MB": try Memory.resident()]
        var generator = Generator(seed: 17)
        var (saves, finds) = (Samples(), Samples())
        for revision in 0..<1_000 {
            let document = Document(Int.random(in: 0..<records, using: &generator), revision: revision)
            let start = ContinuousClock.now
            try await repository.save(document)
            saves.add(ContinuousClock.now - start)
        }
        for _ in 0..<10_000 {
            let id = Document.id(Int.random(in: 0..<records, using: &generator))
            let start = ContinuousClock.now
            guard await repository.find(by: id) != nil else { throw Failure("\(id) is missing.") }
            finds.add(ContinuousClock.now - start)
        }
        figures["save p50 µs"] = saves.percentile(0.5)
        figures["find p50 µs"] = finds.percentile(0.5)
        figures["compact s"] = try await seconds { try await repository.compact() }
        try await repository.close()
        return Report(figures)
    }

    private static func peer(_ name: String, _ directory: String) throws -> Report {
        guard let type = Peers.installed.first(where: { $0.name == name }) else {
            throw Failure("\(name) is no peer here.")
        }
        let time = try seconds {
            let store = try DocumentStore(type, at: directory, .synced)
            guard try store.decodeAll() > 0 else { throw Failure("\(directory) is empty.") }
        }
        return try Report(seconds: time)
    }
}
