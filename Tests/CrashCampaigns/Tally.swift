/// What a campaign has tried and found.
package struct Tally: Sendable {
    /// Workloads, stores or sequences: what one seed stands for.
    package var units = 0
    /// Disks that a store was opened on and judged.
    package var states = 0
    /// The fingerprints of those disks.
    package var distinct: Set<UInt64> = []
    /// How often each thing happened that the campaign is there for.
    package var counts: [Counter: Int] = [:]
    /// What was left out, by reason.
    package var skips: [String: Int] = [:]
    package var failures: [Failure] = []
    /// Changes with every disk that was looked at: one seed has to give one trace.
    package var trace: UInt64 = 0

    package init() {}

    package mutating func count(_ counter: Counter, _ number: Int = 1) {
        counts[counter, default: 0] += number
    }

    package mutating func note(_ fingerprint: UInt64) {
        trace = (trace &* 0x0000_0100_0000_01B3) ^ fingerprint
    }

    package mutating func add(_ other: Tally) {
        units += other.units
        states += other.states
        distinct.formUnion(other.distinct)
        counts.merge(other.counts) { $0 + $1 }
        skips.merge(other.skips) { $0 + $1 }
        failures += other.failures
        note(other.trace)
    }
}

/// Things that a campaign counts. One that must not be zero and is makes the campaign fail: a campaign
/// that injected nothing proves nothing.
package struct Counter: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let description: String

    private init(_ description: String) {
        self.description = description
    }

    /// Power cuts, by disk that one left.
    package static let powerCuts = Counter("power cuts")
    /// Deaths of the process.
    package static let kills = Counter("kills")
    /// Crashes during the opening of what a crash had left.
    package static let crashesInRecovery = Counter("crashes in recovery")
    /// Crashes while a snapshot was being made.
    package static let crashesInCompaction = Counter("crashes in compaction")
    /// Disks with a torn tail that opening cut.
    package static let tornTails = Counter("torn tails")
    /// Disks with an unfinished file that opening removed.
    package static let unfinishedFiles = Counter("unfinished files")
    /// Disks that were gone on with: opened, written, crashed and opened again.
    package static let livesAfter = Counter("lives after a crash")
    /// Disks that the independent inspector has judged too.
    package static let inspections = Counter("inspections")
    /// Damaged stores that were refused, opened exactly, and opened without their end.
    package static let refusals = Counter("refusals")
    package static let exactStates = Counter("exact states")
    package static let firstParts = Counter("first parts")
    /// Damaged snapshots that were rebuilt.
    package static let rebuilds = Counter("rebuilds")
    /// Damaged stores that were saved into new ones.
    package static let salvages = Counter("salvages")
    /// Syncs that failed and were followed by ones that succeed and prove nothing.
    package static let lyingSyncs = Counter("lying syncs")

    /// Calls that the tasks of a schedule made with success, and errors that they were told.
    package static func call(_ kind: String) -> Counter { Counter("call: \(kind)") }
    package static func told(_ code: String) -> Counter { Counter("told: \(code)") }
    /// Changes that a follower was given.
    package static let delivered = Counter("changes delivered")
    /// Syncs that a saver ran itself.
    package static let leadingSyncs = Counter("leading syncs")

    /// Lives in which a second error of another kind struck behind the first.
    package static let twoFaults = Counter("two faults in one life")

    /// Damage done, by kind.
    package static func damage(_ kind: String) -> Counter { Counter("damage: \(kind)") }

    /// Calls that failed, by what they do and by how they failed.
    package static func fault(_ kind: String) -> Counter { Counter("fault: \(kind)") }

    package static func < (left: Counter, right: Counter) -> Bool { left.description < right.description }
}

/// A case in which an invariant did not hold.
package struct Failure: Sendable {
    package var unit: CampaignUnit
    /// Where in the unit: the crash point, what survived, the fault or the damage.
    package var place: String
    package var message: String
    /// The last operations of the disk before the crash.
    package var trace: [String]

    package init(_ unit: CampaignUnit, place: String, message: String, trace: [String] = []) {
        self.unit = unit
        self.place = place
        self.message = message
        self.trace = trace
    }
}

/// What one seed stands for, whole or shrunk: enough to run it again.
package struct CampaignUnit: Sendable, Hashable {
    package var layer: Layer
    package var seed: UInt64
    /// The numbers of the steps that are kept; nil for all.
    package var keep: [Int]?
    package var sabotage: Sabotage?

    package init(_ layer: Layer, seed: UInt64, keep: [Int]? = nil, sabotage: Sabotage? = nil) {
        self.layer = layer
        self.seed = seed
        self.keep = keep
        self.sabotage = sabotage
    }

    package var steps: [Step] { kept(layer.steps(seed: seed)) }

    /// The steps as text.
    package var descriptions: [String] { kept(layer.descriptions(seed: seed)) }

    func kept<Element>(_ all: [Element]) -> [Element] {
        keep.map { kept in all.indices.filter(kept.contains).map { all[$0] } } ?? all
    }

    /// The one command that runs it again.
    package var command: String {
        var words = ["swift run -c release crashlab replay --layer \(layer.rawValue) --seed \(seed)"]
        if let keep { words.append("--keep \(keep.map(String.init).joined(separator: ","))") }
        if let sabotage { words.append("--sabotage \(sabotage.rawValue)") }
        return words.joined(separator: " ")
    }
}
