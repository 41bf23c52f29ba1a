import Foundation

struct DatabaseError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A psql that reads statements from a pipe. The first one that fails ends it.
final class PSQL: Sendable {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    /// Waiting for an answer blocks, and no thread of the cooperative pool may.
    private let queue = DispatchQueue(label: "psql")

    init() throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        process.environment = ProcessInfo.processInfo.environment.merging(["PGCLIENTENCODING": "UTF8"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Foundation keeps a process, and what it was given, until its end was waited for.
    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs statements, each of which has its line break; returns what they print.
    ///
    /// - Throws: `DatabaseError` when psql has ended. Then it is not known whether a transaction that was
    ///   to be committed is: only the database can tell.
    func run(_ statements: String) async throws -> [Substring] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.answer(to: statements) }) }
        }
    }

    private static let end = "== end of the answer =="

    private func answer(to statements: String) throws -> [Substring] {
        try input.fileHandleForWriting.write(contentsOf: Data("\(statements)\\echo \(Self.end)\n".utf8))
        var text = ""
        while !text.hasSuffix("\(Self.end)\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw DatabaseError("psql has ended") }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").dropLast()
    }

    /// A COPY of rows, in its text format: a backslash before whatever means something in it.
    static func copy(_ rows: [[String?]], to table: String) -> String {
        let lines = rows.map { row in
            row.map { $0.map(escaped) ?? "\\N" }.joined(separator: "\t") + "\n"
        }
        return "COPY \(table) FROM STDIN;\n\(lines.joined())\\."
    }

    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
            case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
