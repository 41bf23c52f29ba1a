/// What a reading process said it saw, line by line.
package struct FollowerReport {
    /// One look at all items.
    package struct Look {
        package var number: Int
        package var items: [RoundItem]
    }

    /// One change of the feed.
    package enum Change {
        case saved(Int, RoundItem)
        case deleted(Int, id: Int)
        case reset(upTo: Int)
    }

    package private(set) var looks: [Look] = []
    package private(set) var changes: [Change] = []
    /// Lines that say something else, such as an error.
    package private(set) var others: [Substring] = []

    /// An item in one word.
    package static func text(_ item: RoundItem) -> String {
        "\(item.id):\(item.round):\(item.life):\(item.padding)"
    }

    private static func item(_ text: Substring) -> RoundItem? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, let id = Int(parts[0]), let round = Int(parts[1]), let life = Int(parts[2])
        else { return nil }
        return RoundItem(id: id, round: round, life: life, padding: String(parts[3]))
    }

    /// The last line may be cut short by the reader's death, and is left out then.
    package init(_ text: String) {
        let whole = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
        for line in whole.split(separator: "\n") { add(line) }
    }

    private mutating func add(_ line: Substring) {
        let words = line.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) : nil
        let items = words.dropFirst(2).compactMap(Self.item)
        switch (words[0], number) {
        case ("state", let number?) where items.count == words.count - 2:
            looks.append(Look(number: number, items: items))
        case ("saved", let number?) where items.count == 1: changes.append(.saved(number, items[0]))
        case ("deleted", let number?) where words.count == 3:
            if let id = Int(words[2]) { changes.append(.deleted(number, id: id)) }
        case ("reset", let number?): changes.append(.reset(upTo: number))
        default: others.append(line)
        }
    }
}
