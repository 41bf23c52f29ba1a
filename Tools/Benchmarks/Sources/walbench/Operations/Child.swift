import Foundation
import WALStore

/// A process of its own for what a process does once: opening a store, with nothing in memory before.
enum Child {
    static let openProject = "project"
    static let openProjectOnDemand = "project on demand"

    /// What such a process reports.
    private struct Report: Codable {
        var seconds: Double
        var peak: Double
        var after: Double
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
        return [
            Figure("s", report.seconds), Figure("peak MB", report.peak), Figure("after MB", report.after),
        ]
    }

    /// In the child: opens, and prints what that took.
    static func run(_ task: String, _ directory: String) async throws {
        let report =
            switch task {
            case openProject: try await project(directory, .eager)
            case openProjectOnDemand: try await project(directory, .onDemand)
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
            Report(seconds: time.inSeconds, peak: try Memory.peak(), after: try Memory.resident())
        }
    }

    private static func peer(_ name: String, _ directory: String) throws -> Report {
        guard let type = Peers.installed.first(where: { $0.name == name }) else {
            throw Failure("\(name) is no peer here.")
        }
        let time = try seconds {
            let store = try DocumentStore(type, at: directory, .synced)
            guard try store.decodeAll() > 0 else { throw Failure("\(directory) is empty.") }
        }
        return Report(seconds: time, peak: try Memory.peak(), after: try Memory.resident())
    }
}
