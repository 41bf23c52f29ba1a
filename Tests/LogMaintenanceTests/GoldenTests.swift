import Foundation
import LogInspection
import TestSupport
import Testing

/// What the tool prints for people, word for word, against files that are kept.
///
/// To renew them after a change that is meant: `WALSTORE_RENEW_GOLDEN=1 swift test --filter GoldenTests`,
/// then look at the difference.
struct GoldenTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// STORE stands for the fixture.
        var arguments: [String]
        var fixture: String?

        var testDescription: String { name }
    }

    private static let directory = URL(filePath: Fixture.directory).deletingLastPathComponent().appending(
        path: "golden"
    )
    private static let isRenewing = ProcessInfo.processInfo.environment["WALSTORE_RENEW_GOLDEN"] == "1"

    static let cases: [Case] =
        [Case(name: "help", arguments: ["--help"])]
        + CommandName.allCases.map { name in
            Case(
                name: "help-" + name.rawValue.split(separator: " ").joined(separator: "-"),
                arguments: name.rawValue.split(separator: " ").map(String.init) + ["--help"]
            )
        }
        + ["bash", "zsh", "fish"].map { Case(name: "completions-\($0)", arguments: ["completions", $0]) }
        + [
            Case(name: "man", arguments: ["man"]),
            Case(name: "verify-sound", arguments: ["verify", "STORE"], fixture: "32-snapshot-and-before"),
            Case(name: "verify-torn", arguments: ["verify", "STORE"], fixture: "12-torn-half"),
            Case(name: "verify-corrupt", arguments: ["verify", "STORE"], fixture: "21-corrupt-middle"),
            Case(name: "info", arguments: ["info", "STORE"], fixture: "32-snapshot-and-before"),
            Case(name: "dump", arguments: ["dump", "STORE"], fixture: "32-snapshot-and-before"),
            Case(name: "ls", arguments: ["ls", "STORE", "--values"], fixture: "07-ids"),
            Case(name: "history", arguments: ["history", "STORE", "q-001"], fixture: "03-overwrite"),
            Case(name: "tail", arguments: ["tail", "STORE", "-n", "2"], fixture: "06-mark"),
            Case(name: "stats-id", arguments: ["stats", "STORE"], fixture: "32-snapshot-and-before"),
            Case(
                name: "stats-op",
                arguments: ["stats", "STORE", "--by", "op"],
                fixture: "02-put-put-delete"
            ),
            Case(name: "stats-hour", arguments: ["stats", "STORE", "--by", "hour"], fixture: "04-batch"),
            Case(name: "stats-size", arguments: ["stats", "STORE", "--by", "size"], fixture: "08-schema"),
            Case(name: "diff", arguments: ["diff", "STORE", "--from", "1"], fixture: "03-overwrite"),
            Case(name: "export-csv", arguments: ["export", "STORE", "--format", "csv"], fixture: "04-batch"),
            Case(
                name: "repair",
                arguments: ["repair", "STORE", "--out", "/saved", "--dry-run"],
                fixture: "21-corrupt-middle"
            ),
            Case(
                name: "redact",
                arguments: ["redact", "STORE", "--out", "/out"],
                fixture: "21-corrupt-middle"
            ),
            Case(name: "compact", arguments: ["compact", "STORE"], fixture: "03-overwrite"),
        ]

    @Test(arguments: cases)
    func theWordsAreThoseThatAreKept(_ golden: Case) throws {
        var tool = Tool()
        if let name = golden.fixture {
            tool = Tool.on(try #require(Fixture.all.first { $0.name == name }).disk())
        }
        let result = tool.run(golden.arguments.map { $0 == "STORE" ? "/store" : $0 })
        let diagnostics = result.diagnostics.isEmpty ? "" : "--- standard error\n\(result.diagnostics)"
        try Self.compare(result.output + diagnostics, golden.name + ".txt")
    }

    @Test(arguments: ["21-corrupt-middle", "32-snapshot-and-before"])
    func thePageIsTheOneThatIsKept(_ name: String) throws {
        let disk = try #require(Fixture.all.first { $0.name == name }).disk()
        let result = Tool.on(disk)("report", "/store", "--html", "/page.html")
        #expect([0, 2].contains(result.code))
        let page = try #require(disk.contents(of: "/page.html"))
        try Self.compare(String(decoding: page, as: UTF8.self), "report-\(name).html")
    }

    private static func compare(_ text: String, _ name: String) throws {
        let file = directory.appending(path: name)
        if isRenewing { try Data(text.utf8).write(to: file) }
        let kept = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == kept, "See GoldenTests.swift for how to renew \(name).")
    }

    @Test func noFileIsKeptThatNothingCompares() throws {
        let names =
            Self.cases.map { $0.name + ".txt" }
            + ["report-21-corrupt-middle.html", "report-32-snapshot-and-before.html"]
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
        #expect(Self.isRenewing || Set(kept) == Set(names))
    }
}
