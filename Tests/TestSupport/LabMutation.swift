/// An item that the crash laboratory saves.
package struct LabItem: Codable, Identifiable, Hashable, Sendable {
    package var id: String
    package var text: String

    package init(id: String, text: String) {
        self.id = id
        self.text = text
    }
}

/// One call that a writing process makes, as it stands in the lines it reports.
///
/// `put ID=TEXT:PADDING …` or `delete ID …`: one id is a single call, several are a batch.
package struct LabMutation: Hashable, Sendable {
    package struct Put: Hashable, Sendable {
        package var id: String
        package var text: String
        /// The characters that follow the text in the item.
        package var padding: Int

        package var item: LabItem {
            // A million of them are made to judge what writers have said, and repeating a string is slow.
            let filler = [UInt8](repeating: UInt8(ascii: "x"), count: padding)
            return LabItem(id: id, text: text + String(decoding: filler, as: UTF8.self))
        }
    }

    package var puts: [Put]
    package var deletes: [String]

    /// The next call of a task: ids are the task's own, texts are never repeated within a life.
    package init(task: Int, number: Int, life: UInt64, random: inout SeededGenerator) {
        func id(_ random: inout SeededGenerator) -> String { "t\(task)-\(random.below(12))" }
        func put(_ index: Int, padding: Int, _ random: inout SeededGenerator) -> Put {
            Put(id: id(&random), text: "\(life).\(number).\(index)", padding: padding)
        }
        (puts, deletes) = ([], [])
        switch random.below(20) {
        case 0..<12: puts = [put(0, padding: random.below(300), &random)]
        case 12..<15: deletes = [id(&random)]
        case 15: deletes = (0..<3).map { _ in id(&random) }
        case 16: puts = (0..<40).map { put($0, padding: 4096, &random) }
        default: puts = (0..<2 + random.below(6)).map { put($0, padding: random.below(100), &random) }
        }
    }

    /// The call that a line reports, or nil when it is none.
    package init?(_ text: Substring) {
        let words = text.split(separator: " ")
        (puts, deletes) = ([], [])
        switch words.first {
        case "delete":
            deletes = words.dropFirst().map(String.init)
        case "put":
            for word in words.dropFirst() {
                let parts = word.split { $0 == "=" || $0 == ":" }
                guard parts.count == 3, let padding = Int(parts[2]) else { return nil }
                puts.append(Put(id: String(parts[0]), text: String(parts[1]), padding: padding))
            }
        default:
            return nil
        }
    }

    package func apply(to state: inout [String: String]) {
        for put in puts { state[put.id] = put.item.text }
        for id in deletes { state[id] = nil }
    }
}

extension LabMutation: CustomStringConvertible {
    package var description: String {
        puts.isEmpty
            ? "delete " + deletes.joined(separator: " ")
            : "put " + puts.map { "\($0.id)=\($0.text):\($0.padding)" }.joined(separator: " ")
    }
}
