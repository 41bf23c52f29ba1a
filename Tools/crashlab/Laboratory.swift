import CrashCampaigns
import Foundation

/// The commands that run campaigns on simulated disks.
enum Laboratory {
    /// Runs the layers one after the other; nil when the arguments are not understood, else whether all
    /// passed.
    static func campaign(_ arguments: ArraySlice<String>) async -> Bool? {
        let known: Set = ["--layer", "--seconds", "--seed-from", "--workers"]
        guard let options = Options(arguments, known: known),
            let seconds = Int(options.values["--seconds"] ?? "60"),
            let first = UInt64(options.values["--seed-from"] ?? "0"),
            let workers = Int(options.values["--workers"] ?? "2"), workers > 0
        else { return nil }
        var layers = Layer.allCases
        if let name = options.values["--layer"] {
            guard let layer = Layer(rawValue: name) else { return nil }
            layers = [layer]
        }
        var isPassed = true
        for layer in layers {
            let campaign = Campaign(
                layer,
                .time(.seconds(seconds)),
                firstSeed: first,
                workers: workers
            )
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
