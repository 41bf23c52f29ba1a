import CrashCampaigns
import Foundation
import LogStorage
import TestSupport
import Testing

/// Which life of the writer wrote each round that is still there.
private struct RoundHistory {
    private(set) var lives: [Int: Int] = [:]
    private(set) var last = 0
    private(set) var errors: [String] = []

    /// Takes in what a life said before it was killed: it found a state, and went on from there.
    mutating func add(_ text: String, life: Int) {
        var acknowledged = last
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch (words[0], words.dropFirst().compactMap { Int($0) }) {
            case ("open", let found) where found.count == 2:
                // The round that was under way when the life before was killed may be there or not.
                let isKnown = found[0] == 0 ? last == 0 : lives[found[0]] == found[1]
                if found[0] < last || !isKnown { errors.append("life \(life) found \(found) after \(last)") }
                lives = lives.filter { $0.key <= found[0] }
                acknowledged = found[0]
            case ("done", let round) where round == [acknowledged + 1]:
                acknowledged += 1
                lives[acknowledged] = life
            case ("closed", []): break
            default: errors.append("life \(life): \(line)")
            }
        }
        last = acknowledged
        // Issued, and perhaps written.
        lives[last + 1] = life
    }

    func has(_ round: LabRound) -> Bool { lives[round.round] == round.life }
}

@Suite(.serialized) struct FollowerTests {
    /// The state that the feed of a reader tells, each change of which must be of the history.
    private func state(_ changes: [FollowerReport.Change], _ history: RoundHistory) -> [RoundItem] {
        var state: [Int: RoundItem] = [:]
        var last = 0
        func move(to number: Int) {
            #expect(number > last, "A number came twice, or \(number) after \(last).")
            last = number
        }
        for change in changes {
            switch change {
            case .reset: (state, last) = ([:], 0)
            case .deleted(let number, let id):
                move(to: number)
                state[id] = nil
            case .saved(let number, let item):
                move(to: number)
                #expect(history.has(LabRound(round: item.round, life: item.life)), "\(item) was never saved")
                state[item.id] = item
            }
        }
        return Array(state.values)
    }

    private func check(_ looks: [FollowerReport.Look], _ history: RoundHistory) {
        var last = 0
        for look in looks where !look.items.isEmpty {
            guard let round = LabRound(look.items) else {
                Issue.record("no round has the state \(look)")
                continue
            }
            #expect(history.has(round), "the writer never had \(round)")
            #expect(round.round >= last, "\(round) was shown after round \(last)")
            last = round.round
        }
    }

    private func reached(_ said: FollowerReport, _ round: LabRound) -> Bool {
        guard let look = said.looks.last, LabRound(look.items) == round else { return false }
        return said.changes.contains { change in
            guard case .saved(_, let item) = change else { return false }
            return item == round.items.last
        }
    }

    @Test func aReaderOfAWriterThatIsKilledAgainAndAgainShowsOnlyStatesThatItHad() async throws {
        let kills = Effort.count(10, release: 50, full: 50)
        let directory = try TemporaryDirectory()
        let (output, readerOutput) = ("\(directory.path)/output", "\(directory.path)/reader")
        let compactAt = "6000"
        var random = SeededGenerator(seed: 6)
        var history = RoundHistory()
        var reader: ChildProcess?
        defer { reader?.kill() }
        for life in 1...kills {
            let writer = try ChildProcess(
                BuiltProgram.path("crashlab"),
                ["rounds", directory.path, "\(life)", "60", compactAt],
                output: output
            )
            let isOpen = try await ChildProcess.hasSaid("open", in: output)
            if reader == nil {
                reader = try ChildProcess(
                    BuiltProgram.path("crashlab"),
                    ["follow", directory.path],
                    output: readerOutput
                )
            }
            // Most lives get something done, however busy the machine is.
            while isOpen, !random.oneIn(50), try !fileText(output).contains("done") {
                try await Task.sleep(for: .milliseconds(2))
            }
            try await Task.sleep(for: .microseconds(random.below(60_000)))
            writer.kill()
            let code = await writer.wait()
            let said = try fileText(output)
            #expect(code == -9 && isOpen, "life \(life): \(said.suffix(300))")
            history.add(said, life: life)
        }
        let life = kills + 1
        let arguments = ["rounds", directory.path, "\(life)", "30", compactAt, "--close"]
        let writer = try ChildProcess(BuiltProgram.path("crashlab"), arguments, output: output)
        #expect(await writer.wait() == 0)
        history.add(try fileText(output), life: life)
        #expect(history.errors.isEmpty)

        let final = LabRound(round: history.last, life: life)
        let end = ContinuousClock.now + .seconds(300)
        while try !reached(FollowerReport(fileText(readerOutput)), final), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
        }
        reader?.kill()
        _ = await reader?.wait()
        reader = nil
        let said = FollowerReport(try fileText(readerOutput))
        #expect(said.others.isEmpty)
        check(said.looks, history)
        #expect(said.looks.last.flatMap { LabRound($0.items) } == final, "the reader ends equal")
        #expect(Set(state(said.changes, history)) == Set(final.items), "so does its feed")
        let snapshots = try POSIXFileSystem().names(in: "\(directory.path)/data.wal")?.filter {
            $0.hasPrefix("snapshot")
        }
        let generation = snapshots?.compactMap { Int($0.dropFirst(9).prefix(10)) }.max() ?? 0
        print(
            "\(kills) kills of a writer that is read: \(history.last) rounds, \(said.looks.count) states seen, "
                + "\(said.changes.count) changes, \(generation) generations"
        )
        #expect(said.looks.count > kills / 2 && generation > kills / 4)
    }
}
