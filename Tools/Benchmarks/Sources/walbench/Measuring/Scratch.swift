import Foundation
import Glibc

/// The directory that all files of a run are in.
struct Scratch: Sendable {
    let root: String

    /// Makes the directory; what an earlier run has left there is removed.
    init(_ directory: String) throws {
        root = directory + "/run"
        if FileManager.default.fileExists(atPath: root) { try FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// A directory that is there for the time of `body`.
    func fresh<Value>(_ name: String, _ body: (String) async throws -> Value) async throws -> Value {
        let path = try kept("\(name)-\(UUID().uuidString.prefix(8))")
        do {
            let value = try await body(path)
            try remove(path)
            return value
        } catch {
            try remove(path)
            throw error
        }
    }

    /// A directory that stays until the end of the run.
    func kept(_ name: String) throws -> String {
        let path = "\(root)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    func copy(_ source: String, to target: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
        }
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    func removeAll() throws {
        try remove(root)
    }

    /// Writes what the page cache holds, so that one contestant's bytes do not slow the next one's syncs.
    func settle() {
        sync()
    }
}
