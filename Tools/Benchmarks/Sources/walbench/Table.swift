/// Columns of text, as wide as their widest cell.
struct Table {
    private let head: [String]
    private var lines: [[String]] = []

    init(_ head: String...) {
        self.head = head
    }

    mutating func append(_ cells: String...) {
        precondition(cells.count == head.count, "A line has a cell for each column.")
        lines.append(cells)
    }

    /// In the form of Markdown, so that it can be put into a page as it is.
    var text: String {
        let all = [head] + lines
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        func joined(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([joined(head), rule] + lines.map(joined)).joined(separator: "\n")
    }
}

/// A figure with as many digits as it deserves.
func text(of value: Double) -> String {
    switch abs(value) {
    case 1_000...: grouped(Int(value.rounded()))
    case 100...: "\(Int(value.rounded()))"
    case 10...: "\((value * 10).rounded() / 10)"
    case 1...: "\((value * 100).rounded() / 100)"
    default: "\((value * 1_000).rounded() / 1_000)"
    }
}

private func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var place = digits.count - 3
    while place > 0 {
        digits.insert(",", at: place)
        place -= 3
    }
    return String(digits)
}
