import TestSupport

/// Plants a fault and looks which layer catches it.
package struct SabotageHunt: Sendable {
    package struct Catch: Sendable {
        package var sabotage: Sabotage
        /// Nil when nothing has caught it: a hole in the suite.
        package var layer: Layer?
        /// Disks that were judged before it was caught, over all layers.
        package var states: Int
        package var failure: Failure?
    }

    /// Seeds to try in each layer.
    private static let seeds: [(layer: Layer, count: UInt64)] = [
        (.sequences, 42), (.workloads, 30), (.faults, 4), (.recovery, 20), (.damage, 2),
    ]

    /// Hunts for several on all processors; in their order.
    package static func hunt(_ all: [Sabotage]) async -> [Catch] {
        await onOwnThread { inParallel(all.count) { hunt(all[$0]) } }
    }

    /// The layers in order, until one fails.
    package static func hunt(_ sabotage: Sabotage) -> Catch {
        var states = 0
        let seeds = sabotage.isOfOrder ? [(layer: Layer.schedules, count: 2_000 as UInt64)] : seeds
        for (layer, count) in seeds {
            for seed in 0..<count {
                var tally = Tally()
                layer.run(CampaignUnit(layer, seed: seed, sabotage: sabotage), &tally)
                states += tally.states
                if let failure = tally.failures.first {
                    return Catch(sabotage: sabotage, layer: layer, states: states, failure: failure)
                }
            }
        }
        return Catch(sabotage: sabotage, layer: nil, states: states)
    }
}

extension SabotageHunt {
    /// What was planted, what caught it and after how many disks.
    package static func table(_ catches: [Catch]) -> String {
        catches.map { caught in
            let name = caught.sabotage.rawValue
            let padded = name + String(repeating: " ", count: max(0, 34 - name.count))
            guard let layer = caught.layer, let failure = caught.failure else {
                return "\(padded) NOT CAUGHT after \(caught.states) states"
            }
            return "\(padded) \(layer.rawValue) after \(caught.states) states: \(failure.message.prefix(90))"
        }.joined(separator: "\n")
    }
}
