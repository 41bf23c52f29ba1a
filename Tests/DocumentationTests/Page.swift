import Foundation

/// A page of the documentation: what it links to, and what can be linked to in it.
struct Page {
    /// From the package's directory on.
    let path: String
    /// The targets of its links, but for those to other sites.
    let links: [String]
    /// What stands behind `#` in a link to one of its headings.
    let anchors: Set<String>

    init(path: String, text: String) {
        self.path = path
        var (links, anchors): ([String], Set<String>) = ([], [])
        var isCode = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { continue }
            if line.hasPrefix("#"), let title = line.drop(while: { $0 == "#" }).split(separator: "\n").first {
                anchors.insert(Self.anchor(title.drop { $0 == " " }))
            }
            links += Self.links(in: line)
        }
        self.links = links
        self.anchors = anchors
    }

    /// As GitHub makes it: lower case, a hyphen for a space, other punctuation left out.
    static func anchor(_ title: Substring) -> String {
        String(
            title.lowercased().compactMap { character in
                if character == " " { return "-" }
                let stays = character.isLetter || character.isNumber || character == "-" || character == "_"
                return stays ? character : nil
            }
        )
    }

    private static func links(in line: Substring) -> [String] {
        var links: [String] = []
        var rest = line
        while let start = rest.firstRange(of: "](") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: ")") else { break }
            links.append(String(rest[..<end]))
            rest = rest[end...]
        }
        return links.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// Where a link of this page leads: a path from the package's directory on, and a heading there.
    func target(of link: String) -> (path: String, anchor: String?) {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let anchor = parts.count == 2 ? String(parts[1]) : nil
        guard let relative = parts.first, !relative.isEmpty else { return (path, anchor) }
        var components = path.split(separator: "/").dropLast()
        for component in relative.split(separator: "/") where component != "." {
            if component == "..", !components.isEmpty {
                components.removeLast()
            } else {
                components.append(component)
            }
        }
        return (components.joined(separator: "/"), anchor)
    }
}
