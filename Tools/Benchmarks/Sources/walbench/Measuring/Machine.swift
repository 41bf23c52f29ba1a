import Foundation

/// Where and when the figures were taken.
struct Machine: Codable, Sendable {
    var date: String
    var commit: String
    var processor: String
    var processors: Int
    var kernel: String
    /// Of the files, as in `ext2/ext3`; on `tmpfs` a sync costs nothing.
    var fileSystem: String
    /// The load of the last minute when the run began: others' work is in the figures.
    var load: String

    /// The machine, with the file system that a directory is on.
    init(_ directory: String) {
        date = Date().formatted(.iso8601)
        commit = Self.output("git", "rev-parse", "--short", "HEAD") ?? "unknown"
        let information = Self.text(of: "/proc/cpuinfo") ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor =
            model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
        processors = ProcessInfo.processInfo.activeProcessorCount
        fileSystem = Self.output("stat", "-f", "-c", "%T", directory) ?? "unknown"
        kernel =
            Self.text(of: "/proc/sys/kernel/osrelease")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        load = Self.text(of: "/proc/loadavg")?.split(separator: " ").first.map(String.init) ?? ""
    }

    private static func text(of file: String) -> String? {
        FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a program prints, or nil when it fails: a benchmark outside a repository has no commit.
    private static func output(_ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = Pipe()
        do {
            try process.run()
        } catch {
            return nil
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }
}

/// Memory of this process, in MB.
enum Memory {
    /// What is in memory at this moment.
    static func resident() throws -> Double { try status("VmRSS:") }

    /// The most that was in memory since the process began.
    static func peak() throws -> Double { try status("VmHWM:") }

    private static func status(_ name: String) throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
            let number = Double(kilobytes)
        else {
            throw Failure("/proc/self/status does not say \(name)")
        }
        return number / 1024
    }
}
