import Foundation

/// A PostgreSQL of the test's own, on a socket in a temporary directory.
///
/// It refuses to run as root, so root starts it as `postgres`.
actor PostgresServer {
    /// Debian keeps the server's programs off the search path.
    private static let places = (12...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }

    static var isThere: Bool {
        Program.find("psql") != nil && Program.find("initdb", in: places) != nil
            && (geteuid() != 0 || (Program.find("setpriv") != nil && getpwnam("postgres") != nil))
    }

    private let scratch: Scratch
    private var server: Process?

    /// The environment that leads psql to it.
    nonisolated let environment: [String: String]

    /// Makes a server and starts it.
    init() async throws {
        scratch = try Scratch()
        environment = ["PGHOST": scratch.url.path, "PGUSER": "postgres", "PGDATABASE": "postgres"]
        if geteuid() == 0 {
            try FileManager.default.setAttributes(
                [.ownerAccountName: "postgres", .posixPermissions: 0o711],
                ofItemAtPath: scratch.url.path
            )
        }
        let data = scratch.url.appending(path: "data").path
        let command = try Self.command(
            "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "-N"
        )
        let (code, text) = try await Program.run(command.path, command.arguments)
        guard code == 0 else { throw Failure(description: "initdb: \(text)") }
        try await start()
    }

    deinit {
        if let server { Program.kill(server, SIGQUIT) }
    }

    /// Returns when it answers. A process that dies loses nothing that was handed to the kernel, so nothing
    /// has to be synced here.
    func start() async throws {
        let place = scratch.url.path
        let command = try Self.command(
            "postgres",
            "-D",
            "\(place)/data",
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
            "-c",
            "unix_socket_directories=\(place)"
        )
        let server = Process()
        server.executableURL = command.path
        server.arguments = command.arguments
        server.standardError = FileHandle.nullDevice
        try Program.start(server)
        self.server = server
        for _ in 0..<400 {
            if try await psql("SELECT 1").code == 0 { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Failure(description: "PostgreSQL does not answer")
    }

    /// All its processes end at once, as if they had crashed (`pg_ctl stop -m immediate`).
    func kill() async {
        guard let server else { return }
        Program.kill(server, SIGQUIT)
        await onThread { server.waitUntilExit() }
        self.server = nil
    }

    /// What a query prints, a line a row.
    func query(_ text: String) async throws -> [Substring] {
        let (code, output) = try await psql(text)
        guard code == 0 else { throw Failure(description: "\(text): \(output)") }
        return output.split(separator: "\n")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func psql(_ text: String) async throws -> (code: Int32, text: String) {
        let path = Program.find("psql") ?? ""
        let options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text]
        return try await Program.run(URL(filePath: path), options, environment: environment)
    }

    /// A program of the server's, as someone who may run it.
    private static func command(_ name: String, _ arguments: String...) throws -> (
        path: URL, arguments: [String]
    ) {
        guard let path = Program.find(name, in: places) else { throw Failure(description: "no \(name)") }
        guard geteuid() == 0, let setpriv = Program.find("setpriv") else {
            return (URL(filePath: path), arguments)
        }
        let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path]
        return (URL(filePath: setpriv), user + arguments)
    }
}
