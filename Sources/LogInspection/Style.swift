/// Whether the output may use colour and bars: it goes to a terminal, and NO_COLOR is not set.
struct Style {
    let isRich: Bool

    func coloured(_ text: String, _ verdict: Verdict) -> String {
        guard isRich else { return text }
        let colour =
            switch verdict {
            case .sound: 32
            case .tornTail: 33
            case .corruption, .newerFormat: 31
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }

    /// A bar of `width` cells of which the part is filled; empty where no bars are wanted.
    func bar(_ part: UInt64, of whole: UInt64, width: Int = 20) -> String {
        guard isRich, whole > 0 else { return "" }
        let filled = Int((Double(part) / Double(whole) * Double(width)).rounded())
        let cells = String(repeating: "\u{2588}", count: filled)
        return "  " + cells + String(repeating: "\u{2591}", count: width - filled)
    }
}

/// Columns of text.
enum Table {
    static func right(_ text: some CustomStringConvertible, _ width: Int) -> String {
        let text = text.description
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func left(_ text: some CustomStringConvertible, _ width: Int) -> String {
        let text = text.description
        return text + String(repeating: " ", count: max(0, width - text.count))
    }
}
