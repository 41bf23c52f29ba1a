package import LogEngine
import LogFormat
import LogStorage
package import TestSupport

/// What a store is made to do, one step after the other.
package enum Step: CustomStringConvertible, Hashable, Sendable {
    case open
    /// Opens, and writes space ahead of the records.
    case openAhead
    case append([Change])
    case sync
    case compact
    case close
    /// The process dies; what it wrote stays written.
    case kill
    /// The machine goes off at rest; the number chooses what survives.
    case powerCut(UInt64)

    package var description: String {
        switch self {
        case .open: "open"
        case .openAhead: "open, writing ahead"
        case .append(let changes): "append \(changes)"
        case .sync: "sync"
        case .compact: "compact"
        case .close: "close"
        case .kill: "kill"
        case .powerCut(let seed): "power cut \(seed)"
        }
    }
}

/// A store on a simulated disk, its model, and how far it has come.
package struct Workload {
    package private(set) var disk: SimulatedDisk
    package var model: StoreModel
    package private(set) var store: EngineStore?
    package let sabotage: Sabotage?
    private let watcher: (@Sendable (WatchedDisk) -> Void)?

    package var directory: StoreDirectory {
        guard watcher != nil || sabotage != nil else { return .simulated(disk) }
        let watched = WatchedDisk(disk, sabotage: sabotage, watcher: watcher)
        return StoreDirectory(path: StoreDirectory.simulated(disk).path, fileSystem: watched)
    }

    package init(
        _ disk: SimulatedDisk,
        _ model: StoreModel = StoreModel(),
        sabotage: Sabotage? = nil,
        watcher: (@Sendable (WatchedDisk) -> Void)? = nil
    ) {
        self.disk = disk
        self.model = model
        self.sabotage = sabotage
        self.watcher = watcher
    }

    /// Throws what the engine throws, and `WrongState` when a store opens to what it may not hold.
    package mutating func run(_ step: Step) throws {
        switch step {
        case .open: try open(space: nil)
        // Small steps, so that records end before, at and behind the end of the space.
        case .openAhead: try open(space: SpaceAhead(smallestStep: 512, largestStep: 1024))
        case .append(let changes): try store?.append(changes, &model)
        case .sync: try store?.sync(&model)
        case .compact:
            try store?.compact(&model)
            if store != nil { try checkFiles() }
        case .close:
            defer { store = nil }
            try store?.close(&model)
        case .kill:
            giveUp()
        case .powerCut(let seed):
            giveUp()
            disk = disk.afterPowerCut(.random(seed: seed))
            model.didLosePower()
        }
    }

    private mutating func open(space: SpaceAhead?) throws {
        guard store == nil else { return }
        let before = model
        model.willOpen()
        let opened = try EngineStore.open(directory, space: space, sabotage: sabotage)
        guard before.allows(opened.moment) else {
            throw WrongState(found: opened.moment, allowed: before.allowed)
        }
        model.didOpen(opened.moment, endsInMark: opened.plan.highestLogEndsInMark)
        store = opened
    }

    package mutating func run(_ steps: [Step]) throws {
        for step in steps { try run(step) }
    }

    /// Runs the steps until the power goes.
    package mutating func runUntilPowerCut(_ steps: [Step]) throws {
        do {
            try run(steps)
        } catch {
            guard disk.isOff, !(error is WrongState) else { throw error }
        }
        try run(.kill)
    }

    package mutating func giveUp() {
        store?.giveUp()
        store = nil
    }

    /// A compaction leaves the state as it was, and no unfinished file.
    private func checkFiles() throws {
        let found = try Recovery.storePlan(directory).moment(in: directory)
        guard found == model.current else {
            throw Violation(.compactionKeepsTheState, "compacted to \(found), it was \(model.current)")
        }
        try Self.checkTidy(disk)
    }

    static func checkTidy(_ disk: SimulatedDisk) throws {
        guard !disk.paths.contains(where: { $0.hasSuffix(".tmp") }) else {
            throw Violation(.nothingIsLeaked, "an unfinished file stays: \(disk.paths)")
        }
    }

    /// Nobody else gets the lock of the open store.
    private func checkLock() throws {
        let path = directory.path(of: StoreDirectory.lockName)
        let second = try directory.fileSystem.lock(path, mode: .privateFile, note: "another")
        if case .acquired = second { throw Violation(.oneWriter, "two hold the lock") }
    }

    /// Opens what a crash left, goes on, crashes, opens, closes and opens again.
    package static func checkRecovery(
        _ disk: SimulatedDisk,
        _ model: StoreModel,
        sabotage: Sabotage? = nil
    ) throws {
        var work = Workload(disk, model, sabotage: sabotage)
        let before = disk.files
        try work.run(.open)
        try checkTidy(disk)
        try work.checkLock()
        if let plan = work.store?.plan { try checkEvidence(of: plan, in: disk, before) }
        let number = work.model.current.number
        try work.run([.append([.put("tail", "\(number)"), .delete("a")]), .sync])
        try work.run(.append([.put("unsynced", "1")]))
        try work.run(.kill)
        // Opening is idempotent: what is stable opens to the same.
        var second = Workload(disk.afterPowerCut(.random(seed: number)), work.model, sabotage: sabotage)
        try second.run([.openAhead, .append([.put("again", "1")]), .close, .open])
        guard second.store?.plan.cut == nil, second.store?.plan.rebuild == nil else {
            throw Violation(.openingIsIdempotent, "a closed store is cut or rebuilt when it is opened")
        }
        try second.run(.kill)
        guard second.disk.openFileCount == 0, second.disk.heldLockCount == 0 else {
            throw Violation(.nothingIsLeaked, "\(second.disk.openFileCount) files stay open")
        }
    }

    /// What recovery cut stands in quarantine, where no power cut can take it.
    private static func checkEvidence(
        of plan: StorePlan,
        in disk: SimulatedDisk,
        _ before: [String: [UInt8]]
    ) throws {
        guard let cut = plan.cut, !cut.isBlank else { return }
        let path = StoreDirectory.simulated(disk).path(of: plan.highestLog.name)
        guard let bytes = before[path], UInt64(bytes.count) >= cut.range.upperBound else { return }
        let lost = Array(bytes[Int(cut.range.lowerBound)..<Int(cut.range.upperBound)])
        let kept = disk.afterPowerCut(.nothingUnsynced).files
        guard kept.contains(where: { $0.key.contains("/quarantine/") && $0.value == lost }) else {
            throw Violation(.damageIsExactOrAnError, "\(cut.range) of the log is cut and not kept")
        }
    }
}

package struct WrongState: Error, CustomStringConvertible {
    package var found: Moment
    package var allowed: Set<Moment>

    package var description: String {
        let all = allowed.sorted { $0.number < $1.number }.map(\.description).joined(separator: " or ")
        return "opened to \(found), allowed is \(all)"
    }
}

extension SimulatedDisk {
    /// What a power cut may leave at this moment: everything where that is little, else some of it.
    package func survivors(limit: Int, seeds: Range<UInt64>) -> [Survivors] {
        let random = seeds.map { Survivors.random(seed: $0) }
        if let every = everySurvivors(limit: limit) { return every + random.prefix(8) }
        return [.nothingUnsynced, .everything] + random
    }
}
