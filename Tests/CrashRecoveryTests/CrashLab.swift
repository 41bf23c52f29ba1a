import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program that the tests kill.
enum CrashLab {
    /// Where the build put it: beside the test bundle, or in a directory above that.
    static func path() throws -> String {
        var starts = CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        #if os(Linux)
            starts.append(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath())
        #endif
        for start in starts {
            var directory = start.deletingLastPathComponent()
            for _ in 0..<6 {
                let path = directory.appending(path: "crashlab").path
                if isProgram(path) { return path }
                directory.deleteLastPathComponent()
            }
        }
        Issue.record("The program crashlab is not beside \(starts). Build it with \"swift build\".")
        throw CancellationError()
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    static func writer(_ arguments: [String], output: String) throws -> ChildProcess {
        try ChildProcess(try path(), ["writer"] + arguments, output: output)
    }

    /// Returns once the writer has said that its store is open, or false when it says that it failed or
    /// says nothing for two minutes.
    static func waitUntilOpen(_ output: String) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            // Looked at before the clock: this task itself may have waited long for a thread.
            let text = try fileText(output)
            if text.hasPrefix("open") { return true }
            if text.hasPrefix("error") || ContinuousClock.now > end { return false }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// What a killed writer said.
struct WriterReport {
    var opened = false
    /// The bytes that the writer's own recovery cut.
    var bytesCut = 0
    var error: Substring?
    var issued: [Int: [LabMutation]] = [:]
    var acknowledged: [Int: Int] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            switch (words[0], words.count) {
            case ("open", 2):
                opened = true
                bytesCut = Int(words[1]) ?? 0
            case ("issue", 4):
                guard let task = Int(words[1]), let call = LabMutation(words[3]) else { continue }
                #expect(Int(words[2]) == issued[task]?.count ?? 0, "\(line)")
                issued[task, default: []].append(call)
            case ("done", 3):
                guard let task = Int(words[1]), let number = Int(words[2]) else { continue }
                #expect(number == acknowledged[task] ?? 0, "\(line)")
                acknowledged[task] = number + 1
            default:
                error = line
            }
        }
    }

    var acknowledgedCount: Int { acknowledged.values.reduce(0, +) }

    /// What is wrong with the state that was found after `before`, or nil.
    ///
    /// Each task waits for its call before it makes the next, and its ids are its own. So of each task
    /// all acknowledged calls are there, and at most one more, whole.
    func fault(in found: [String: String], after before: [String: String]) -> String? {
        var rest = found
        for task in Set(issued.keys).union(Self.tasks(of: before)).union(Self.tasks(of: found)) {
            func isOwn(_ id: String) -> Bool { id.hasPrefix("t\(task)-") }
            var state = before.filter { isOwn($0.key) }
            let calls = issued[task] ?? []
            let count = acknowledged[task] ?? 0
            for call in calls[..<count] { call.apply(to: &state) }
            let own = found.filter { isOwn($0.key) }
            rest = rest.filter { !isOwn($0.key) }
            if own == state { continue }
            guard count < calls.count else {
                return "task \(task), all \(count) calls acknowledged: \(own) is not \(state)"
            }
            let without = state
            calls[count].apply(to: &state)
            if own != state {
                return """
                    task \(task), \(count) of \(calls.count) calls acknowledged, then \(calls[count]): \(own) is \
                    neither \(without) nor \(state)
                    """
            }
        }
        return rest.isEmpty ? nil : "nobody saved \(rest)"
    }

    private static func tasks(of state: [String: String]) -> Set<Int> {
        Set(state.keys.compactMap { Int($0.dropFirst().prefix { $0 != "-" }) })
    }
}
