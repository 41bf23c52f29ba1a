/// An example as a source file that compiles where the example does.
///
/// Its types become members of an enum of its own, its statements the body of a function there, with the
/// values at hand that the prelude gives. Errors name the place that the example was taken from.
struct ExampleProgram {
    /// The types that examples may take for granted.
    static let prelude = """
        import Foundation
        import WALStore

        struct Question: Codable, Identifiable, Sendable {
            var id: String
            var title: String
            var votes = 0
        }

        struct Note: Codable, Identifiable, Sendable {
            var id: String
            var text = ""
            init(_ id: String, _ text: String = "") { (self.id, self.text) = (id, text) }
        }
        """

    /// What the statements of an example find there.
    private static let parameters = """
        repository: LocalRepository<Question>, newQuestion: Question, questions: [Question], lastNumber: UInt64, \
        yesterday: Date, directory: URL
        """

    private static let modules = ["Foundation", "WALStore", "WALStoreTesting", "Testing"]
    private static let typeWords = ["struct", "class", "enum", "actor", "protocol", "extension"]

    let source: String

    init(_ example: Example, number: Int) {
        var imports = Self.modules
        var (types, extensions, statements) = ("", "", "")
        var index = 0
        func chunk(_ range: Range<Int>) -> String {
            "#sourceLocation(file: \"\(example.file)\", line: \(example.line + range.lowerBound))\n"
                + example.code[range].joined(separator: "\n") + "\n#sourceLocation()\n"
        }
        while index < example.code.count {
            let line = example.code[index]
            if line.hasPrefix("import ") {
                imports.append(String(line.dropFirst(7)))
                index += 1
            } else if Self.beginsType(example.code[index...]) {
                let end = Self.end(of: example.code[index...])
                let isExtension = line.hasPrefix("extension") || line.hasPrefix("public extension")
                if isExtension { extensions += chunk(index..<end) } else { types += chunk(index..<end) }
                index = end
            } else {
                let end = Self.endOfStatements(example.code[index...])
                statements += chunk(index..<end)
                index = end
            }
        }
        let foreign = imports.filter { !Self.modules.contains($0) }
        let condition = foreign.map { "canImport(\($0))" }.joined(separator: " && ")
        source = """
            \(foreign.isEmpty ? "" : "#if \(condition)")
            \(imports.map { "import \($0)" }.joined(separator: "\n"))
            \(extensions)
            enum Example\(number) {
            \(types)
            @MainActor static func run(\(Self.parameters)) async throws {
            var configuration = StoreConfiguration()
            do {
            \(statements)
            }
            }
            }
            \(foreign.isEmpty ? "" : "#endif")
            """
    }

    /// Whether a type is declared here, behind attributes and modifiers.
    private static func beginsType(_ lines: ArraySlice<Substring>) -> Bool {
        guard let line = lines.first, line.first != " " else { return false }
        let words = line.split(separator: " ")
        let first = words.first { !$0.hasPrefix("@") && !["public", "final", "private"].contains($0) }
        guard let first else { return !words.isEmpty && beginsType(lines.dropFirst()) }
        return typeWords.contains(String(first))
    }

    /// Where the next import or type is.
    private static func endOfStatements(_ lines: ArraySlice<Substring>) -> Int {
        lines.indices.dropFirst().first { lines[$0].hasPrefix("import ") || beginsType(lines[$0...]) }
            ?? lines.endIndex
    }

    /// Behind the line that closes the declaration.
    private static func end(of lines: ArraySlice<Substring>) -> Int {
        for (index, line) in zip(lines.indices, lines) {
            if line == "}" || line.hasSuffix("}") && line.contains("{") && line.first != " " {
                return index + 1
            }
        }
        return lines.endIndex
    }
}
