import Foundation
import LogInspection
import Testing

/// The fixtures of the first released format, which every later version must judge alike.
struct VectorTests {
    private let tool = Tool()

    @Test func theFixturesAreThere() {
        #expect(Vector.all.count == 31)
    }

    @Test(arguments: Vector.all)
    func verifyGivesTheVerdictAndItsExitCode(_ vector: Vector) throws {
        let result = tool("verify", vector.path, "--json")
        #expect(result.code == vector.exitCode)
        let lines = try objects(result.output)
        let summary = try #require(lines.last)
        #expect(summary["type"] as? String == "summary")
        #expect(summary["verdict"] as? String == vector.verdict)
        #expect(Set(summary.keys) == ["type", "verdict", "records", "lastSeq", "files"])
        if let last = vector.lastSequenceNumber { #expect(summary["lastSeq"] as? Int == last) }
        #expect((lines.count > 1) == (vector.verdict != "sound"))
        for fault in lines.dropLast() {
            #expect(fault["type"] as? String == "fault")
            #expect(
                Set(fault.keys) == [
                    "type", "file", "line", "offset", "length", "verdict", "reason", "expected", "found",
                    "remedy",
                ]
            )
        }
        let worst = lines.dropLast().compactMap { $0["verdict"] as? String }
        #expect(vector.verdict == "sound" || worst.contains(vector.verdict))
    }

    @Test(arguments: Vector.all.filter { $0.offset != nil })
    func theFaultStandsWhereOpeningCutsOrTheDamageBegins(_ vector: Vector) throws {
        let faults = try objects(tool("verify", vector.path, "--json").output).dropLast()
        let fault = try #require(faults.first)
        #expect(faults.count == 1)
        #expect(fault["offset"] as? Int == vector.offset)
        if let line = vector.line { #expect(fault["line"] as? Int == line) }
    }

    @Test(arguments: Vector.all.filter { $0.state != nil || $0.opensTo != nil })
    func lsShowsTheStateThatOpeningServes(_ vector: Vector) throws {
        let result = tool("ls", vector.path, "--json", "--values")
        #expect(result.code == vector.exitCode)
        var state: [String: String] = [:]
        for (line, object) in zip(result.lines, try objects(result.output)) {
            #expect(line.hasPrefix("{\"id\":"))
            #expect(Set(object.keys) == ["id", "seq", "at", "bytes", "value"])
            let id = try #require(object["id"])
            state[(id as? String).map(spelling) ?? canonicalJSON(id)] = canonicalJSON(object["value"] ?? "")
        }
        #expect(state == vector.state ?? vector.opensTo)
    }

    @Test(arguments: Vector.all)
    func everyReadingCommandEndsWithTheVerdict(_ vector: Vector) throws {
        for arguments in [
            ["info"], ["info", "--json"], ["dump"], ["dump", "--json"], ["dump", "--raw"], ["ls"],
            ["tail"], ["tail", "--json"], ["stats"], ["stats", "--json"], ["stats", "--by", "op", "--json"],
            ["stats", "--by", "hour", "--json"], ["stats", "--by", "size", "--json"],
        ] {
            let result = tool.run([arguments[0], vector.path] + arguments.dropFirst())
            #expect(result.code == vector.exitCode, "\(arguments)")
            #expect(result.diagnostics.isEmpty == (vector.verdict == "sound"), "\(arguments)")
            #expect(result.diagnostics.split(separator: "\n").allSatisfy { $0.hasPrefix("walstore: ") })
            if arguments.last != "--raw", arguments.count > 1 { _ = try objects(result.output) }
        }
    }

    @Test(arguments: Vector.all)
    func everyReadingCommandWithAnIDEndsWithTheVerdictOrFindsNothing(_ vector: Vector) throws {
        for arguments in [
            ["get", vector.path, "q-001"], ["history", vector.path, "q-001"],
            ["history", vector.path, "q-none"],
            ["ls", vector.path, "--at", "1"], ["diff", vector.path, "--from", "1"],
            ["export", vector.path, "--at", "1"],
        ] {
            let plain = tool.run(arguments)
            #expect([vector.exitCode, 4].contains(plain.code), "\(arguments)")
            let json = tool.run(arguments + ["--json"])
            #expect(json.code == plain.code, "\(arguments)")
            _ = try objects(json.output)
        }
        for format in ["json", "jsonl", "csv"] {
            let result = tool("export", vector.path, "--format", format)
            #expect(result.code == vector.exitCode)
            if format == "json", vector.exitCode < 3 {
                _ = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
            }
        }
        #expect(tool("diff", vector.path, vector.path).code == vector.exitCode)
    }

    /// The canonical spelling of a string id.
    private func spelling(_ id: String) -> String {
        var result = "\""
        for scalar in id.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
