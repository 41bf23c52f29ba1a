import Foundation
import ProcessCampaigns

/// The commands that run writing processes on real files. What this machine cannot do is skipped, and the
/// command fails.
enum RealLaboratory {
    /// L7, at system calls; nil when the arguments are not understood, else whether it passed.
    static func systemCalls(_ arguments: ArraySlice<String>) async throws -> Bool? {
        guard let (_, cycles, seed) = parse(arguments) else { return nil }
        var campaign = SystemCallCampaign(ownPath, seed: seed)
        return await timed {
            try await campaign.run(lives: cycles)
            return (campaign.description, campaign.faults)
        }
    }

    /// L7, at random moments; nil when the arguments are not understood, else whether it passed.
    static func kills(_ arguments: ArraySlice<String>) async throws -> Bool? {
        guard let (_, cycles, seed) = parse(arguments) else { return nil }
        var isPassed = true
        // Half of the lives compact all the time.
        for compactAt in [nil, 3_000] {
            var campaign = KillCampaign(ownPath, seed: seed, compactAt: compactAt)
            let passes = await timed {
                try await campaign.run(stores: (cycles + 199) / 200, killsOfEach: 100)
                return (campaign.description, campaign.faults)
            }
            isPassed = passes && isPassed
        }
        return isPassed
    }

    /// L8; nil when the arguments are not understood, else whether it passed.
    static func powerCuts(_ arguments: ArraySlice<String>) async throws -> Bool? {
        guard let (options, cycles, seed) = parse(arguments, ["--fs"]) else { return nil }
        #if os(Linux)
            var kinds = LoopDisk.Kind.allCases
            if let name = options.values["--fs"] {
                guard let kind = LoopDisk.Kind(rawValue: name) else { return nil }
                kinds = [kind]
            }
            var isPassed = true
            for kind in kinds {
                var campaign = PowerCutCampaign(kind, ownPath, seed: seed)
                let passes = await timed {
                    try await campaign.run(cycles: cycles)
                    return (campaign.description, campaign.faults)
                }
                isPassed = passes && isPassed
            }
            return isPassed
        #else
            print("SKIPPED: loop devices are Linux's")
            return false
        #endif
    }

    /// The options of a command; nil when they are not understood.
    private static func parse(
        _ arguments: ArraySlice<String>,
        _ own: Set<String> = []
    ) -> (options: Options, cycles: Int, seed: UInt64)? {
        guard let options = Options(arguments, known: own.union(["--cycles", "--seed"])),
            let cycles = options.count("--cycles", 1_000), let seed = options.count("--seed", 1)
        else { return nil }
        return (options, cycles, UInt64(seed))
    }

    private static var ownPath: String {
        #if os(Linux)
            URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        #else
            CommandLine.arguments[0]
        #endif
    }

    private static func timed(_ body: () async throws -> (description: String, faults: [String])) async
        -> Bool
    {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let (description, faults) = try await body()
            print(
                "\(description); \((clock.now - start).formatted(.units(fractionalPart: .show(length: 1))))"
            )
            for fault in faults { print(fault) }
            return faults.isEmpty
        } catch {
            print("SKIPPED or broken off: \(error)")
            return false
        }
    }
}

extension Options {
    fileprivate func count(_ name: String, _ standard: Int) -> Int? {
        guard let text = values[name] else { return standard }
        return Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
}
