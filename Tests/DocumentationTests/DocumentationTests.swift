import Foundation
import LogStorage
import TestSupport
import Testing

@Suite(
    "Documentation",
    .enabled(
        if: Toolchain.isThere,
        "needs swiftc, and the modules beside the tests as the package manager puts them"
    )
)
struct DocumentationTests {
    /// All examples: of the front page, the pages and the doc comments of the products.
    private func examples() throws -> [Example] {
        var files = ["README.md"]
        let directories = [
            "Docs", "Sources/WALStore", "Sources/WALStore/WALStore.docc", "Sources/WALStoreTesting",
        ]
        for directory in directories {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: Toolchain.package.appending(path: directory).path
            )
            files += names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.sorted()
                .map { "\(directory)/\($0)" }
        }
        return try files.flatMap { file in
            Example.all(
                in: try String(contentsOf: Toolchain.package.appending(path: file), encoding: .utf8),
                file: file
            )
        }
    }

    /// What the compiler says against examples; empty when they compile.
    private func faults(in examples: [Example]) async throws -> [Substring] {
        let directory = try TemporaryDirectory()
        var paths: [String] = []
        func write(_ source: String, _ name: String) throws {
            paths.append("\(directory.path)/\(name).swift")
            try source.write(toFile: paths[paths.count - 1], atomically: false, encoding: .utf8)
        }
        try write(ExampleProgram.prelude, "Prelude")
        for (number, example) in examples.enumerated() {
            try write(ExampleProgram(example, number: number).source, "Example\(number)")
        }
        let (text, isSound) = try await Toolchain.compile(["-typecheck", "-wmo"] + paths, in: directory)
        let faults = text.split(separator: "\n").filter { $0.contains(": error: ") }
        #expect(isSound == faults.isEmpty, "\(text)")
        return faults
    }

    @Test("Every example in the pages and the doc comments compiles")
    func examplesCompile() async throws {
        let all = try examples()
        let compiled = all.filter { !$0.isFragment }
        for fault in try await faults(in: compiled) { Issue.record("\(fault)") }
        print(
            "\(compiled.count) examples compiled, \(all.count - compiled.count) blocks are fragments or no Swift"
        )
        #expect(compiled.count > 15)
    }

    @Test("An example that does not compile is named with its file and line")
    func badExample() async throws {
        let page = """
            # A page

            ```
            no Swift
            ```

            ```swift
            import WALStore

            let count = await repository.count
            try await repository.save("no question")
            ```

            ```swift fragment
            .package(path: "…")
            ```
            """
        let found = Example.all(in: page, file: "Docs/Page.md")
        #expect(found.map(\.isFragment) == [true, false, true])
        let faults = try await faults(in: found.filter { !$0.isFragment })
        #expect(!faults.isEmpty && faults.allSatisfy { $0.contains("Docs/Page.md:11:") }, "\(faults)")
    }

    @Test(
        "Every public declaration has its doc comment, and a throwing one says what it throws",
        arguments: ["WALStore", "WALStoreTesting"]
    )
    func everythingIsDocumented(_ module: String) async throws {
        let directory = try TemporaryDirectory()
        let graph = try await Toolchain.symbols(of: module, in: directory)
        #expect(graph.symbols.count > 10)
        for symbol in graph.symbols {
            let lines = symbol.docComment?.lines ?? []
            #expect(lines.contains { !$0.text.isEmpty }, "\(symbol.place): \(symbol.name) has none")
            guard symbol.canThrow, symbol.docComment?.module == module else { continue }
            #expect(
                lines.contains { $0.text.hasPrefix("- Throws: ") },
                "\(symbol.place): \(symbol.name) does not say what it throws"
            )
        }
    }
}
