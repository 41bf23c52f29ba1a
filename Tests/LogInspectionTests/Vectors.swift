import Foundation
import Testing

/// The stores of format 1 that are kept as fixtures, with what is to be found in them.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let verdict: String
    let state: [String: String]?
    let lastSequenceNumber: Int?
    let offset: Int?
    let line: Int?
    let opensTo: [String: String]?

    var testDescription: String { name }
    var path: String { Self.directory + "/" + name }

    var exitCode: Int32 {
        ["sound": 0, "tornTail": 1, "corruption": 2, "newerFormat": 3][verdict] ?? -1
    }

    static let directory: String = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appending(path: "Fixtures/v1").path
    }()

    static let all: [Vector] = {
        guard let data = FileManager.default.contents(atPath: directory + "/expected.json"),
            let all = try? JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
        else {
            return []
        }
        return all.map { Vector($0.key, $0.value) }.sorted { $0.name < $1.name }
    }()

    static func named(_ name: String) -> Vector? { all.first { $0.name.hasPrefix(name) } }

    private init(_ name: String, _ expected: [String: Any]) {
        self.name = name
        let opens = expected["opens"] as? [String: Any]
        verdict = expected["verdict"] as? String ?? ""
        state = (expected["state"] as? [String: Any]).map(Self.canonical)
        opensTo = (opens?["state"] as? [String: Any]).map(Self.canonical)
        lastSequenceNumber = (opens ?? expected)["lastSeq"] as? Int
        offset = (expected["cut"] ?? expected["offset"]) as? Int
        line = expected["line"] as? Int
    }

    /// Each value as JSON text with sorted keys, so that equal values are equal texts.
    private static func canonical(_ state: [String: Any]) -> [String: String] {
        state.mapValues { canonicalJSON($0) }
    }
}

/// The JSON text of a value, with sorted keys.
func canonicalJSON(_ value: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return "?" }
    return String(decoding: data, as: UTF8.self)
}

/// The objects in JSON Lines.
func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return object as? [String: Any] ?? [:]
    }
}
