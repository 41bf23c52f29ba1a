import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// Every prefix and every flipped bit of a log, against what its history says.
@Suite struct DamagedLogTests {
    private let name = StoreDirectory.logName(1)

    private enum Outcome: Equatable {
        case refused
        case opened(Moment, cut: UInt64?)
    }

    private func open(_ bytes: [UInt8]) throws -> Outcome {
        let directory = StoreDirectory.simulated(.holding([name: bytes]))
        if let error = try directory.refusal() {
            guard error.code == .corruption, error.corruption?.file == name else { throw error }
            return .refused
        }
        let plan = try Recovery.storePlan(directory)
        return .opened(try plan.moment(in: directory), cut: plan.cut?.range.lowerBound)
    }

    @Test func everyPrefixOpensToItsLongestCompletePartAndOnlyHalfAHeaderIsRefused() throws {
        let history = History.varied()
        for length in 0...history.bytes.count {
            let outcome = try open(Array(history.bytes[..<length]))
            guard length >= history.header.upperBound else {
                #expect(outcome == .refused, "\(length) bytes")
                continue
            }
            let kept = history.groups.last { $0.range.upperBound <= length }
            let end = kept?.range.upperBound ?? history.header.upperBound
            let isPadding = history.bytes[end..<length].allSatisfy { $0 == 0x0A }
            #expect(
                outcome == .opened(kept?.moment ?? .beginning, cut: isPadding ? nil : UInt64(end)),
                "\(length) bytes"
            )
        }
    }

    @Test func everyPrefixIsAppendedToAndOpensAgain() throws {
        let history = History.varied()
        for length in history.header.upperBound...history.bytes.count {
            let disk = SimulatedDisk.holding([name: Array(history.bytes[..<length])])
            var store = try EngineStore.open(.simulated(disk))
            let kept = history.groups.last { $0.range.upperBound <= length }?.moment ?? .beginning
            #expect(store.moment == kept, "\(length) bytes")
            var model = StoreModel(store.moment)
            try store.append([.put("new", "1"), .delete("a")], &model)
            try store.close(&model)
            let disk2 = disk.afterPowerCut(.nothingUnsynced)
            let again = try EngineStore.open(.simulated(disk2))
            #expect(again.moment == model.current && again.plan.cut == nil, "\(length) bytes")
        }
    }

    /// A byte is covered when it is in a record that a later line says was synced.
    private func check(_ history: History, bit: Int) throws {
        let offset = bit / 8
        var bytes = history.bytes
        bytes[offset] ^= 1 << UInt8(bit % 8)
        let outcome = try open(bytes)
        if history.header.contains(offset) {
            #expect(outcome == .refused, "bit \(bit), in the header")
            return
        }
        guard let index = history.groups.firstIndex(where: { $0.range.contains(offset) }) else {
            checkPadding(history, bit: bit, outcome)
            return
        }
        let group = history.groups[index]
        let isCovered = history.said.contains {
            $0.offset >= group.range.upperBound && $0.synced >= group.numbers.lowerBound
        }
        if isCovered {
            #expect(outcome == .refused, "bit \(bit), in \(group.numbers), which was synced")
        } else {
            let before = index == 0 ? nil : history.groups[index - 1]
            let end = before?.range.upperBound ?? history.header.upperBound
            let expected = Outcome.opened(before?.moment ?? .beginning, cut: UInt64(end))
            #expect(outcome == expected, "bit \(bit), in \(group.numbers), which nothing covers")
        }
    }

    /// Padding holds nothing: the state is exact, or the foreign byte between records is refused.
    private func checkPadding(_ history: History, bit: Int, _ outcome: Outcome) {
        let isAtEnd = history.groups.allSatisfy { $0.range.upperBound <= bit / 8 }
        switch outcome {
        case .refused: #expect(!isAtEnd, "bit \(bit), in the padding at the end")
        case .opened(let moment, _): #expect(isAtEnd && moment == history.last, "bit \(bit), in padding")
        }
    }

    @Test func everyFlippedBitIsJudgedByWhatLaterLinesSay() throws {
        for withPadding in Effort.count(1, release: 2, full: 2) == 1 ? [true] : [true, false] {
            let history = History.varied(withPadding: withPadding)
            for bit in 0..<history.bytes.count * 8 {
                try check(history, bit: bit)
            }
        }
    }

    /// Whatever the damage, what opens is some first part of the history with all that was covered.
    @Test func everyOverwrittenOrRemovedOrRepeatedPieceGivesAFirstPartOrARefusal() throws {
        let histories = [History.varied(), History.varied(withPadding: false)]
        for seed in Effort.seeds(1_500, release: 30_000, full: 1_000_000) {
            var random = SeededGenerator(seed: seed)
            let history = histories[random.below(2)]
            var bytes = history.bytes
            let start = random.below(bytes.count)
            let count = 1 + random.below(min(bytes.count - start, random.oneIn(2) ? 20 : 400))
            let piece = start..<start + count
            switch random.below(5) {
            case 0: bytes.replaceSubrange(piece, with: [UInt8](repeating: 0, count: count))
            case 1: bytes.replaceSubrange(piece, with: random.bytes(count))
            case 2: bytes.removeSubrange(piece)
            case 3: bytes.insert(contentsOf: bytes[piece], at: start)
            default: bytes.replaceSubrange(piece, with: [UInt8](repeating: 0x0A, count: count))
            }
            guard case .opened(let moment, _) = try open(bytes) else { continue }
            let firstParts = [Moment.beginning] + history.groups.map(\.moment)
            #expect(firstParts.contains(moment), "seed \(seed)")
            // What is said by a line that is still whole was kept.
            let kept = history.said.filter { said in
                guard let group = history.groups.first(where: { $0.range.lowerBound == said.offset })
                else { return false }
                return bytes.contains(history.bytes[group.range])
            }
            let covered = kept.map(\.synced).max() ?? 0
            #expect(moment.number >= covered, "seed \(seed): \(moment.number) of \(covered)")
        }
    }
}
