import CrashCampaigns
import Dispatch
import Foundation
import Synchronization

/// The commands that run campaigns on simulated disks.
enum Laboratory {
    /// Runs the layers one after the other; nil when the arguments are not understood, else whether all
    /// passed.
    static func campaign(_ arguments: ArraySlice<String>) async -> Bool? {
        let known: Set = ["--layer", "--seconds", "--states", "--seeds", "--seed-from", "--workers"]
        guard let options = Options(arguments, known: known),
            let first = UInt64(options.values["--seed-from"] ?? "0"),
            let workers = Int(options.values["--workers"] ?? "2"), workers > 0,
            let goal = goal(options)
        else { return nil }
        var layers = Layer.allCases
        if let name = options.values["--layer"] {
            guard let layer = Layer(rawValue: name) else { return nil }
            layers = [layer]
        }
        let progress = Progress()
        let interrupts = progress.followInterrupts()
        defer { interrupts.cancel() }
        var isPassed = true
        for layer in layers where !progress.isInterrupted {
            var campaign = Campaign(layer, goal(layer), firstSeed: first, workers: workers)
            campaign.goesOn = progress.note
            let report = await campaign.run()
            let table = CampaignTable([report])
            FileHandle.standardOutput.write(Data(((options.isJSON ? table.json : table.text) + "\n").utf8))
            for failure in report.tally.failures {
                FileHandle.standardError.write(Data((failure.shrunk().report + "\n").utf8))
            }
            isPassed = isPassed && report.isPassed
        }
        return isPassed
    }

    /// What each layer has to reach; nil when the options name more than one goal or none that can be read.
    private static func goal(_ options: Options) -> ((Layer) -> Campaign.Goal)? {
        let goals = ["--seconds", "--states", "--seeds"].compactMap { name in
            options.values[name].map { (name, Int($0) ?? 0) }
        }
        guard goals.count + (options.isFull ? 1 : 0) <= 1, goals.allSatisfy({ $0.1 > 0 }) else { return nil }
        if options.isFull { return \.fullGoal }
        switch goals.first {
        case ("--states", let count)?: return { _ in .states(count) }
        case ("--seeds", let count)?: return { _ in .units(count) }
        case let other: return { _ in .time(.seconds(other?.1 ?? 60)) }
        }
    }

    /// Says once a minute how far a campaign is, and ends it in good order at the first interrupt.
    private final class Progress: Sendable {
        private struct State {
            var isInterrupted = false
            var next = ContinuousClock.now + .seconds(60)
        }

        private let state = Mutex(State())

        /// From now on an interrupt is noted instead of ending the process; a second one ends it.
        func followInterrupts() -> any DispatchSourceSignal {
            signal(SIGINT, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: SIGINT)
            source.setEventHandler { [self] in
                state.withLock { $0.isInterrupted = true }
                signal(SIGINT, SIG_DFL)
            }
            source.resume()
            return source
        }

        var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

        @Sendable func note(_ report: Campaign.Report) -> Bool {
            let (isDue, isInterrupted) = state.withLock { state in
                let isDue = ContinuousClock.now >= state.next
                if isDue { state.next = .now + .seconds(60) }
                return (isDue, state.isInterrupted)
            }
            if isDue {
                let line =
                    "\(report.layer.rawValue): \(report.seeds.count) seeds, \(report.tally.states) states\n"
                FileHandle.standardError.write(Data(line.utf8))
            }
            return !isInterrupted
        }
    }

    /// Runs one seed again and shows what fails, whole and shrunk.
    static func replay(_ arguments: ArraySlice<String>) -> Bool? {
        let known: Set = ["--layer", "--seed", "--keep", "--sabotage"]
        guard let options = Options(arguments, known: known),
            let layer = options.values["--layer"].flatMap(Layer.init(rawValue:)),
            let seed = options.values["--seed"].flatMap(UInt64.init)
        else { return nil }
        var unit = CampaignUnit(layer, seed: seed)
        if let keep = options.values["--keep"] {
            unit.keep = keep.split(separator: ",").compactMap { Int($0) }
        }
        if let name = options.values["--sabotage"] {
            guard let sabotage = Sabotage(rawValue: name) else { return nil }
            unit.sabotage = sabotage
        }
        var tally = Tally()
        layer.run(unit, &tally)
        guard let failure = tally.failures.first else {
            print("\(layer.rawValue), seed \(seed): \(tally.states) states, no failure")
            return true
        }
        print(failure.report)
        let shrunk = failure.shrunk()
        if shrunk.unit.keep != failure.unit.keep { print("shrunk:\n\(shrunk.report)") }
        return false
    }

    /// Plants each fault and shows what catches it.
    static func sabotage() async -> Bool {
        let catches = await SabotageHunt.hunt(Sabotage.allCases)
        print(SabotageHunt.table(catches))
        return catches.allSatisfy { $0.layer != nil }
    }
}
