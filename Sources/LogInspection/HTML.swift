/// Composes a page; all text that goes in is escaped.
struct HTML {
    private(set) var text = ""

    /// Markup, written by this program alone.
    mutating func raw(_ markup: String) { text += markup }

    /// An element with text in it.
    mutating func element(_ name: StaticString, _ attributes: String = "", _ content: String) {
        text += "<\(name)\(attributes.isEmpty ? "" : " " + attributes)>\(Self.escaped(content))</\(name)>"
    }

    /// Text as it may stand in an element or in a quoted attribute: whatever a store holds, it cannot become
    /// markup, nor move or hide the text around it.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in TerminalText.escaped(text).unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// `1 234 567`, with narrow spaces that do not break.
    static func number(_ number: UInt64) -> String {
        var groups: [Substring] = []
        var digits = Substring(String(number))
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return ([digits] + groups.reversed()).joined(separator: "\u{202F}")
    }

    /// `1.2 MB`.
    static func size(_ bytes: UInt64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes) / 1000, 0)
        while value >= 999.95, unit < 4 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let text = tenths >= 1000 || tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return text + " " + ["kB", "MB", "GB", "TB", "PB"][unit]
    }

    /// With two decimals, for places in drawings.
    static func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
