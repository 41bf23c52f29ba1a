import Foundation

/// A block of code in a page or a doc comment.
struct Example {
    /// The file that it is in, from the package's directory on.
    var file: String
    /// The number of its first line in that file, from 1.
    var line: Int
    var code: [Substring]
    /// Whether it says of itself, behind the word `swift`, that it is a part of something.
    var isFragment: Bool

    /// The blocks of a Markdown page, or of the doc comments of a Swift file.
    static func all(in text: String, file: String) -> [Example] {
        let isPage = file.hasSuffix(".md")
        var examples: [Example] = []
        var open: Example?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let line = isPage ? line : comment(line) else { continue }
            if line.hasPrefix("```") {
                if let example = open {
                    examples.append(example)
                    open = nil
                } else {
                    open = begin(line, file: file, line: index + 2)
                }
            } else {
                open?.code.append(line)
            }
        }
        return examples.filter { !$0.code.isEmpty }
    }

    /// What stands behind `///`, or nil where there is none.
    private static func comment(_ line: Substring) -> Substring? {
        let line = line.drop { $0 == " " }
        guard line.hasPrefix("///") else { return nil }
        return line.hasPrefix("/// ") ? line.dropFirst(4) : line.dropFirst(3)
    }

    /// Nil for a block that is no Swift; its end opens nothing either, being bare.
    private static func begin(_ fence: Substring, file: String, line: Int) -> Example? {
        let words = fence.dropFirst(3).split(separator: " ")
        let isSwift = words.first == "swift"
        return Example(file: file, line: line, code: [], isFragment: !isSwift || words.last == "fragment")
    }
}
