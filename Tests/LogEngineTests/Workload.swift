import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// What a store is made to do, one step after the other.
enum Step: CustomStringConvertible {
    case open
    case append([Change])
    case sync
    case close
    /// The process dies; what it wrote stays written.
    case kill

    var description: String {
        switch self {
        case .open: "open"
        case .append(let changes): "append \(changes)"
        case .sync: "sync"
        case .close: "close"
        case .kill: "kill"
        }
    }
}

/// A store on a simulated disk, its model, and how far it has come.
struct Workload {
    let disk: SimulatedDisk
    var model: StoreModel
    private(set) var store: EngineStore?

    var directory: StoreDirectory { .simulated(disk) }

    init(_ disk: SimulatedDisk, _ model: StoreModel = StoreModel()) {
        self.disk = disk
        self.model = model
    }

    /// Throws what the engine throws, and `WrongState` when a store opens to what it may not hold.
    mutating func run(_ step: Step) throws {
        switch step {
        case .open:
            let before = model
            model.willOpen()
            let opened = try EngineStore.open(directory)
            guard before.allows(opened.moment) else {
                throw WrongState(found: opened.moment, allowed: before.allowed)
            }
            model = StoreModel(opened.moment, endsInMark: opened.plan.highestLogEndsInMark)
            store = opened
        case .append(let changes): try store?.append(changes, &model)
        case .sync: try store?.sync(&model)
        case .close:
            defer { store = nil }
            try store?.close(&model)
        case .kill:
            store?.giveUp()
            store = nil
        }
    }

    mutating func run(_ steps: [Step]) throws {
        for step in steps { try run(step) }
    }

    /// Runs the steps until the power goes.
    mutating func runUntilPowerCut(_ steps: [Step]) throws {
        do {
            try run(steps)
        } catch {
            guard disk.isOff, !(error is WrongState) else { throw error }
        }
        try run(.kill)
    }

    mutating func giveUp() {
        store?.giveUp()
        store = nil
    }

    /// Opens what a crash left, goes on, crashes, opens, closes and opens again.
    static func checkRecovery(_ disk: SimulatedDisk, _ model: StoreModel) throws {
        var work = Workload(disk, model)
        try work.run(.open)
        let number = work.model.current.number
        let opened = disk.files
        try work.run([.append([.put("tail", "\(number)"), .delete("a")]), .sync])
        try work.run(.append([.put("unsynced", "1")]))
        try work.run(.kill)
        // Opening is idempotent: what is stable now opens to the same.
        #expect(!opened.keys.contains { $0.hasSuffix(".tmp") })
        var second = Workload(disk.afterPowerCut(.random(seed: number)), work.model)
        try second.run([.open, .append([.put("again", "1")]), .close, .open])
        #expect(second.store?.plan.cut == nil && second.store?.plan.rebuild == nil)
        try second.run(.kill)
        #expect(second.disk.openFileCount == 0 && second.disk.heldLockCount == 0)
    }
}

struct WrongState: Error, CustomStringConvertible {
    var found: Moment
    var allowed: Set<Moment>

    var description: String {
        let all = allowed.sorted { $0.number < $1.number }.map(\.description).joined(separator: " or ")
        return "opened to \(found), allowed is \(all)"
    }
}

extension SimulatedDisk {
    /// What a power cut may leave at this moment: everything where that is little, else some of it.
    func survivors(limit: Int, seeds: Range<UInt64>) -> [Survivors] {
        let random = seeds.map { Survivors.random(seed: $0) }
        if let every = everySurvivors(limit: limit) { return every + random.prefix(8) }
        return [.nothingUnsynced, .everything] + random
    }
}
