import Foundation

/// P11: the inspector's speed.
extension Suite {
    func verifying() -> Operation {
        var operation = Operation(
            number: "P11",
            title: "walstore verify, warm file",
            includes:
                "the whole process, over the snapshot of \(datasets.liveCount) records; bytes of the store by its time",
            goals: [Goal(">= 1 GB/s", Goal.Term(Contestant.project, "GB/s"), .atLeast(1))]
        )
        guard let tool = Self.tool else {
            operation.notBuilt = "no .build/release/walstore; build it with: swift build -c release"
            return operation
        }
        operation.contestants = [
            Contestant(Contestant.project) {
                guard try await Self.hasVerify(tool, scratch) else {
                    throw Failure("not built: walstore has no command verify")
                }
                let store = try await datasets.compactedProject() + "/data.wal"
                let bytes = try FileManager.default.contentsOfDirectory(atPath: store).reduce(0) {
                    sum,
                    name in
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(store)/\(name)")
                    return sum + ((attributes[.size] as? NSNumber)?.intValue ?? 0)
                }
                return {
                    let time = try await seconds {
                        let (status, _) = try await Self.output(tool, ["verify", store], scratch)
                        guard status == 0 else { throw Failure("walstore verify ended with \(status).") }
                    }
                    return [Figure("GB/s", Double(bytes) / time / 1e9)]
                }
            }
        ]
        return operation
    }

    /// The tool beside this package, if it was built.
    private static var tool: String? {
        let root = URL(filePath: #filePath).pathComponents.dropLast(6).joined(separator: "/")
        let path = "\(root)/.build/release/walstore"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    private static func hasVerify(_ tool: String, _ scratch: Scratch) async throws -> Bool {
        try await output(tool, ["--help"], scratch).text.split(separator: "\n").contains {
            $0.split(separator: " ").first == "verify"
        }
    }

    private static func output(_ tool: String, _ arguments: [String], _ scratch: Scratch) async throws -> (
        status: Int32, text: String
    ) {
        try await Threads.run {
            let process = Process()
            process.executableURL = URL(filePath: tool)
            process.arguments = arguments
            process.environment = ["TMPDIR": scratch.root, "SWIFT_BACKTRACE": "enable=no"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }
    }
}
