import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// The table of RECOVERY.md, section 2, row by row.
@Suite struct DecisionTableTests {
    private static let rows: [(row: LogVerdict.Row, cases: [TableCase])] = [
        (.header, TableCase.header),
        (.misplacedLine, TableCase.misplacedLine),
        (.coveredBySync, TableCase.coveredBySync),
        (.foreignBytes, TableCase.foreignBytes),
        (.gap, TableCase.gap),
        (.tornTail, TableCase.tornTail),
        (.openBatch, TableCase.openBatch),
        (.sound, TableCase.sound),
    ]

    private let name = StoreDirectory.logName(1)

    @Test func everyLogIsOfItsRow() {
        for (row, cases) in Self.rows {
            for one in cases {
                let seen = one.observations
                #expect(LogVerdict.row(of: seen) == row, "\(one)")
                if let next = one.next { #expect(seen.next == SequenceNumber(next), "\(one)") }
            }
        }
    }

    @Test func everyRowGivesItsVerdictOnTheHighestLog() throws {
        for (row, cases) in Self.rows {
            for one in cases {
                let verdict = LogVerdict.onHighest(
                    one.observations,
                    file: name,
                    length: UInt64(one.bytes.count)
                )
                let judged = try one.judgedAsHighest()
                switch (row, verdict) {
                case (.header, .corruption), (.misplacedLine, .corruption), (.coveredBySync, .corruption),
                    (.foreignBytes, .corruption):
                    #expect(judged == .corruption(file: name), "\(one)")
                case (.gap, .tornTail), (.tornTail, .tornTail), (.openBatch, .tornTail):
                    #expect(judged == .tornTail(next: one.next ?? 0), "\(one)")
                case (.sound, .sound):
                    #expect(judged == .sound, "\(one)")
                default:
                    Issue.record("row \(row), \(one): \(verdict)")
                }
            }
        }
    }

    @Test func everyFaultInAnEarlierLogIsCorruption() throws {
        for (row, cases) in Self.rows {
            for one in cases {
                let verdict = LogVerdict.onEarlier(
                    one.observations,
                    file: name,
                    length: UInt64(one.bytes.count)
                )
                let judged = try one.judgedAsEarlier()
                if row == .sound {
                    #expect(verdict == .sound && judged == .sound, "\(one): \(verdict), \(judged)")
                } else {
                    guard case .corruption = verdict else {
                        Issue.record("\(one): \(verdict)")
                        continue
                    }
                    #expect(judged == .corruption(file: name), "\(one)")
                }
            }
        }
    }

    /// What a torn tail leaves opens soundly and takes the number after it: appending behind a tear
    /// is what naive stores do.
    @Test func everyTornTailIsCutKeptAndAppendedBehind() throws {
        for one in Self.rows.filter({ [.gap, .tornTail, .openBatch].contains($0.row) }).flatMap(\.cases) {
            let disk = SimulatedDisk.holding([name: one.bytes])
            let kept = Int(one.observations.end)
            let isBlank = one.bytes[kept...].allSatisfy { $0 == 0 || $0 == 0x0A }
            var store = try EngineStore.open(.simulated(disk))
            #expect(disk.file(name) == Array(one.bytes[..<kept]), "\(one)")
            #expect(store.quarantined.count == (isBlank ? 0 : 1), "\(one)")
            if let path = store.quarantined.first?.path {
                // The padding that the file ends with is no part of what is kept.
                var cut = one.bytes[kept...]
                while cut.suffix(2) == [0x0A, 0x0A] { cut.removeLast() }
                #expect(disk.contents(of: path) == Array(cut), "\(one)")
            }
            var model = StoreModel(store.moment)
            try store.append([.put("new", "true")], &model)
            #expect(model.current.number == one.next, "\(one)")
            try store.sync(&model)
            store.giveUp()
            let again = try EngineStore.open(.simulated(disk))
            #expect(again.moment == model.current && again.plan.cut == nil, "\(one)")
        }
    }

    @Test func aHeaderOfAnotherStoreInALaterLogIsCorruption() throws {
        for store in ["00000000-0000-4000-8000-000000000000", LogBuilder.store] {
            for first in 1...3 as ClosedRange<UInt64> {
                var one = LogBuilder()
                one.header()
                one.put("a", "1")
                var two = LogBuilder()
                two.header(store: store, generation: 2, firstSequenceNumber: SequenceNumber(first))
                let names = [StoreDirectory.logName(1), StoreDirectory.logName(2)]
                let disk = SimulatedDisk.holding([names[0]: one.bytes, names[1]: two.bytes])
                let isSound = store == LogBuilder.store && first == 2
                #expect(
                    try Judgement(.simulated(disk)) == (isSound ? .sound : .corruption(file: names[1])),
                    "\(store) \(first)"
                )
            }
        }
    }

    @Test func aLaterFormatAnywhereIsRefusedBeforeAnythingElseIsJudged() throws {
        let newer = LogBuilder.line(members: Array(#""format":2,"whatever":[]}"#.utf8))
        var sound = LogBuilder()
        sound.header()
        for (one, two) in [(newer, sound.bytes), (sound.bytes, newer), (newer, []), ([0], [0x0A] + newer)] {
            let disk = SimulatedDisk.holding([
                StoreDirectory.logName(1): one, StoreDirectory.logName(2): two,
            ])
            #expect(try StoreDirectory.simulated(disk).refusal()?.code == .newerFormat)
        }
    }
}
