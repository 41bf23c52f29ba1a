import Foundation

/// Tries a lock from another process.
enum LockProbe {
    private static let tool: (path: String, arguments: [String])? = {
        let script = """
            import fcntl, os, sys
            try:
                fcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.exit(1)
            """
        for path in ["/usr/bin/flock", "/bin/flock"] where FileManager.default.isExecutableFile(atPath: path)
        {
            return (path, ["-n", "{}", "true"])
        }
        for path in ["/usr/bin/python3", "/usr/local/bin/python3"]
        where FileManager.default.isExecutableFile(atPath: path) {
            return (path, ["-c", script, "{}"])
        }
        return nil
    }()

    static var isAvailable: Bool { tool != nil }

    /// Whether another process gets the lock on the file at `path`.
    static func isFree(_ path: String) throws -> Bool {
        guard let tool else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool.path)
        process.arguments = tool.arguments.map { $0 == "{}" ? path : $0 }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
