import Foundation
import Messages

/// Starts the daemon, sends it requests without a pause, and starts it again when it dies. What it was
/// told is safe, it knows.
final class DaemonClient: @unchecked Sendable {
    // Everything below is read and written under the lock.
    private let lock = NSLock()
    private var process: Process?
    private var isStopping = false
    private var acknowledged: [String: Message] = [:]
    /// What was sent since the last acknowledgement: in more than one life, if they all died over it.
    private var issued: [String: [Message?]] = [:]
    private(set) var faults: [String] = []
    private var count = 0

    private let directory: URL
    private let compactAt: Int
    /// As many requests as are sent before their answers are waited for, each with an id of its own.
    private let waveLength = 40

    init(_ directory: URL, compactAt: Int) {
        self.directory = directory
        self.compactAt = compactAt
        // A request to a daemon that has just died is an error, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Works until `stop` was called and a daemon has closed its store.
    func work() async {
        await onThread {
            var isClosed = false
            while !isClosed {
                do {
                    isClosed = try self.live()
                } catch {
                    self.lock.withLock { self.faults.append("\(error)") }
                    isClosed = self.lock.withLock { self.isStopping }
                }
            }
        }
    }

    func kill() {
        lock.withLock { if let process { Program.kill(process) } }
    }

    /// Lets the daemon close its store, or another do it when this one was killed.
    func stop() {
        lock.withLock { isStopping = true }
    }

    /// Requests that were acknowledged so far.
    var saved: Int { lock.withLock { count } }

    /// What is wrong with a state that was found; empty when it may be.
    func faults(in found: [String: Message]) -> [String] {
        lock.withLock {
            Set(found.keys).union(acknowledged.keys).union(issued.keys).compactMap { id in
                if found[id] == acknowledged[id] { return nil }
                if issued[id, default: []].contains(found[id]) { return nil }
                return "\(id.debugDescription): \(String(describing: found[id])), but "
                    + "\(String(describing: acknowledged[id])) was acknowledged"
            }
        }
    }

    // MARK: One life of the daemon

    /// Returns whether it ended by itself, having closed its store.
    private func live() throws -> Bool {
        let (input, output) = (Pipe(), Pipe())
        let daemon = Process()
        daemon.executableURL = Program.path("daemon")
        daemon.arguments = [directory.path, "\(compactAt)"]
        daemon.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        daemon.standardInput = input
        daemon.standardOutput = output
        try Program.start(daemon)
        lock.withLock { process = daemon }
        let answers = Lines(output.fileHandleForReading)
        var number = 0
        var isAlive = true
        while isAlive, !lock.withLock({ isStopping }) {
            isAlive = try wave(&number, to: input.fileHandleForWriting, answers)
        }
        try input.fileHandleForWriting.close()
        daemon.waitUntilExit()
        lock.withLock { process = nil }
        guard daemon.terminationReason == .exit else { return false }
        if daemon.terminationStatus != 0 {
            lock.withLock { faults.append("the daemon ended with \(daemon.terminationStatus)") }
        }
        return lock.withLock { isStopping }
    }

    /// Sends requests and waits for their answers; false when the daemon has died.
    private func wave(_ number: inout Int, to input: FileHandle, _ answers: Lines) throws -> Bool {
        let requests = HostileText.ids.shuffled().prefix(waveLength).map { id in
            // In either spelling of those that have two.
            let id = Bool.random() ? id : id.precomposedStringWithCanonicalMapping
            let revision = (acknowledged[id]?.revision ?? 0) + 1
            return Int.random(in: 0..<8) == 0
                ? Request(delete: id)
                : Request(
                    save: Message(id: id, text: HostileText.all.randomElement() ?? "", revision: revision)
                )
        }
        lock.withLock { for request in requests { issued[request.id, default: []].append(request.save) } }
        let encoder = JSONEncoder()
        var lines = Data()
        for request in requests { lines += try encoder.encode(request) + Data("\n".utf8) }
        do {
            try input.write(contentsOf: lines)
        } catch {
            return false
        }
        for _ in requests {
            guard let line = answers.next() else { return false }
            let words = line.split(separator: " ")
            guard words.count == 2, words[0] == "saved", let answered = Int(words[1]) else {
                lock.withLock { faults.append("the daemon said \(line)") }
                return false
            }
            let request = requests[answered - number - 1]
            lock.withLock {
                acknowledged[request.id] = request.save
                issued.removeValue(forKey: request.id)
                count += 1
            }
        }
        number += requests.count
        return true
    }
}

extension Request {
    var id: String { save?.id ?? delete ?? "" }
}

/// The whole lines that come out of a pipe.
private final class Lines {
    private let file: FileHandle
    private var ready: ArraySlice<Substring> = []
    private var rest = Data()

    init(_ file: FileHandle) {
        self.file = file
    }

    func next() -> Substring? {
        while ready.isEmpty {
            let data = file.availableData
            guard !data.isEmpty else { return nil }
            rest += data
            guard let end = rest.lastIndex(of: 0x0A) else { continue }
            ready = String(decoding: rest[...end], as: UTF8.self).split(separator: "\n")[...]
            rest = Data(rest[(end + 1)...])
        }
        return ready.popFirst()
    }
}
