import Foundation
import Messages
import Testing
import WALStore

@Suite struct MirrorTests {
    private static let points = ProcessInfo.processInfo.environment["WALSTORE_FULL"] == nil ? 8 : 100

    private enum Victim: CaseIterable { case mirror, postgres, daemon }

    @Test(.enabled(if: PostgresServer.isThere, "needs psql and PostgreSQL's server"), .timeLimit(.minutes(5)))
    func theMirrorLosesAndDoublesNoRowWhicheverSideIsKilled() async throws {
        let scratch = try Scratch()
        let server = try await PostgresServer()
        let mirror = MirrorProcess(scratch.url, server.environment)
        try mirror.start()
        let client = DaemonClient(scratch.url, compactAt: 250_000)
        let work = Task { await client.work() }
        while try await !hasChanges(server) { try await Task.sleep(for: .milliseconds(20)) }

        for point in 0..<Self.points {
            try await Task.sleep(for: .milliseconds(Int.random(in: 20..<400)))
            switch Victim.allCases[point < 3 ? point : Int.random(in: 0..<3)] {
            case .daemon: client.kill()
            case .postgres:
                await server.kill()
                try await server.start()
            case .mirror:
                mirror.kill()
                // Away for long enough, it misses what compaction drops, and has to begin anew.
                if point == 0 || Int.random(in: 0..<8) == 0 { try await twoCompactions(in: scratch.url) }
                try mirror.start()
            }
        }
        client.stop()
        await work.value
        try await check(scratch.url, server, client)
        mirror.kill()
        await server.kill()
    }

    /// Whether the mirror has applied something.
    private func hasChanges(_ server: PostgresServer) async throws -> Bool {
        let tables = try await server.query(
            "SELECT count(*) FROM pg_tables WHERE tablename = 'message_change'"
        )
        guard tables == ["1"] else { return false }
        return try await server.query("SELECT count(id) FROM message_change") != ["0"]
    }

    private func twoCompactions(in directory: URL) async throws {
        func newest() throws -> Int {
            let store = directory.appending(path: "messages.wal").path
            let names = try FileManager.default.contentsOfDirectory(atPath: store)
            return names.compactMap { Int($0.dropFirst(9).prefix(10)) }.max() ?? 1
        }
        let wanted = try newest() + 2
        while try newest() < wanted { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Waits until the mirror has caught up, and compares everything.
    private func check(_ directory: URL, _ server: PostgresServer, _ client: DaemonClient) async throws {
        let store = try await MessageStore.read(directory)
        let found = Dictionary(uniqueKeysWithValues: await store.loadAll().map { ($0.id, $0) })
        #expect(client.faults + client.faults(in: found) == [])

        let rows = "SELECT encode(convert_to(value::text, 'UTF8'), 'hex') FROM message ORDER BY id"
        let wanted = Set(found.values.map(\.self.description))
        var mirrored: [Message] = []
        for _ in 0..<300 {
            mirrored = try await server.query(rows).map(message)
            if Set(mirrored.map(\.description)) == wanted { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(mirrored.count == found.count && Set(mirrored.map(\.description)) == wanted)

        // Each number once, which the key of the table sees to, and none left out but by a new beginning.
        let gaps = try await server.query(
            """
            SELECT number FROM message_change AS this WHERE id IS NOT NULL AND number > 1 AND NOT EXISTS
                (SELECT FROM message_change AS before WHERE before.number = this.number - 1)
            """
        )
        #expect(gaps.isEmpty, "\(gaps)")
        let counts = try await server.query(
            "SELECT count(id) FROM message_change UNION ALL SELECT count(*) - count(id) FROM message_change"
        ).compactMap { Int($0) }
        #expect(counts.count == 2 && counts.allSatisfy { $0 > 0 }, "\(counts)")
        print("mirror: \(Self.points) kills, \(client.saved) requests saved; changes, beginnings: \(counts)")
    }

    private func message(_ hexadecimal: Substring) throws -> Message {
        var bytes = Data()
        var rest = hexadecimal[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return try JSONDecoder().decode(Message.self, from: bytes)
    }
}

extension Message {
    /// All of it, scalar by scalar: two spellings of one string differ.
    fileprivate var description: String {
        "\(id.unicodeScalars.map(\.value)) \(text.unicodeScalars.map(\.value)) \(revision)"
    }
}

/// The mirror as a process that can be killed and started again.
private final class MirrorProcess {
    private let directory: URL
    private let environment: [String: String]
    private var process: Process?

    init(_ directory: URL, _ environment: [String: String]) {
        self.directory = directory
        self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }

    deinit {
        kill()
    }

    func start() throws {
        let mirror = Process()
        mirror.executableURL = Program.path("mirror")
        mirror.arguments = [directory.path]
        mirror.environment = environment
        // It and its psql say what was cut off: that is what this is about.
        mirror.standardError = FileHandle.nullDevice
        try Program.start(mirror)
        process = mirror
    }

    func kill() {
        // Its psql may live on for a moment and commit what is in the pipe, which is not waited for here.
        if let process { Program.kill(process) }
        process = nil
    }
}
