/// What the compiler tells of a module's public declarations.
struct SymbolGraph: Decodable {
    struct Comment: Decodable {
        struct Line: Decodable {
            var text: String
        }

        /// Of the protocol, where a conformance has taken over its comment.
        var module: String?
        var lines: [Line]
    }

    struct Location: Decodable {
        struct Position: Decodable {
            var line: Int
        }

        var uri: String
        var position: Position
    }

    struct Fragment: Decodable {
        var spelling: String
    }

    struct Symbol: Decodable {
        var pathComponents: [String]
        var docComment: Comment?
        var location: Location?
        var declarationFragments: [Fragment]

        var name: String { pathComponents.joined(separator: ".") }

        var place: String {
            guard let location else { return "no place" }
            let file = location.uri.split(separator: "/").suffix(3).joined(separator: "/")
            return "\(file):\(location.position.line + 1)"
        }

        /// Whether it throws itself, and not only a closure among its parameters.
        var canThrow: Bool {
            var depth = 0
            var behindParameters = ""
            for character in declarationFragments.map(\.spelling).joined() {
                if character == "(" { depth += 1 }
                if depth == 0 { behindParameters.append(character) }
                if character == ")" { depth -= 1 }
            }
            return behindParameters.contains("throws")
        }
    }

    var symbols: [Symbol]
}
