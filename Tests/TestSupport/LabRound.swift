/// An item of a store that a writer moves on round by round: all items of a state are of one round.
package struct RoundItem: Codable, Identifiable, Hashable, Sendable {
    package var id: Int
    package var round: Int
    /// Which of the writer's processes wrote it.
    package var life: Int
    package var padding: String
}

/// One round of a writer: a batch that leaves exactly these items, so that a state tells by itself
/// whether it is whole.
package struct LabRound: Hashable, Sendable {
    private static let ids = 0..<16

    package var round: Int
    package var life: Int

    package init(round: Int, life: Int) {
        self.round = round
        self.life = life
    }

    /// Every round some ids are gone, others in each.
    private func has(_ id: Int) -> Bool { (round + id) % 5 != 0 }

    package var items: [RoundItem] {
        Self.ids.filter(has).map { id in
            let padding = String(repeating: "x", count: (round &* 37 &+ id &* 11) % 200)
            return RoundItem(id: id, round: round, life: life, padding: padding)
        }
    }

    package var deletes: [Int] { Self.ids.filter { !has($0) } }

    /// The round that a state is of; nil when it is empty or no round's.
    package init?(_ state: [RoundItem]) {
        guard let first = state.first else { return nil }
        self.init(round: first.round, life: first.life)
        guard state.count == items.count, Set(state) == Set(items) else { return nil }
    }
}
