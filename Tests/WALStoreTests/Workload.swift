import LogStorage
import TestSupport
import Testing
import WALStore

/// A list of steps for one task, and what a store may hold after each.
struct Workload: Sendable {
    enum Step: Sendable, CustomStringConvertible {
        case save(Note)
        case saveAll([Note])
        case delete(String)
        case deleteAll([String])
        case flush
        /// Closes the store and opens it again.
        case close
        /// Drops the store without closing it and opens it again.
        case drop

        func apply(to state: inout [String: String]) {
            switch self {
            case .save(let note): state[note.id] = note.text
            case .saveAll(let notes): for note in notes { state[note.id] = note.text }
            case .delete(let id): state[id] = nil
            case .deleteAll(let ids): for id in ids { state[id] = nil }
            case .flush, .close, .drop: break
            }
        }

        var description: String {
            switch self {
            case .save(let note): "save \(note.id)=\(note.text)"
            case .saveAll(let notes): "save \(notes.map(\.id))"
            case .delete(let id): "delete \(id)"
            case .deleteAll(let ids): "delete \(ids)"
            case .flush: "flush"
            case .close: "close"
            case .drop: "drop"
            }
        }
    }

    let steps: [Step]

    /// Every kind of step, over three lives.
    static let everyKind = Workload(steps: [
        .save(Note("a", "1")), .saveAll([Note("b", "2"), Note("c", "2"), Note("a", "2")]), .delete("b"),
        .save(Note("\n\u{2028}\"é", "3\0")), .delete("unknown"), .close,
        .save(Note("a", "4")), .deleteAll(["c", "a"]), .saveAll([Note("d", "5"), Note("e", "5")]), .drop,
        .save(Note("d", "6")), .flush, .saveAll([Note("a", "7"), Note("b", "7")]), .close,
    ])

    /// A list of steps that a seed repeats.
    static func random(seed: UInt64, length: Int) -> Workload {
        var random = SeededGenerator(seed: seed)
        func note(_ number: Int) -> Note {
            Note("id\(random.below(5))", "\(number)-\(String(repeating: "x", count: random.below(40)))")
        }
        return Workload(
            steps: (0..<length).map { number in
                switch random.below(12) {
                case 0..<5: .save(note(number))
                case 5, 6: .saveAll((0...random.below(4)).map { _ in note(number) })
                case 7, 8: .delete("id\(random.below(5))")
                case 9: .deleteAll((0...random.below(3)).map { _ in "id\(random.below(5))" })
                case 10: .flush
                default: random.oneIn(2) ? .close : .drop
                }
            }
        )
    }
}

/// Runs a workload and knows every state that the store may be in.
final class WorkloadRun {
    /// What the cache has to show.
    private(set) var visible: [String: String] = [:]
    /// What a reopened store may show: more than one state while an outcome is unknown.
    private(set) var possible: Set<[String: String]> = [[:]]
    private(set) var errors: [StoreError.Code] = []
    private let disk: SimulatedDisk
    private let durability: StoreConfiguration.Durability
    private var repository: Notes?

    init(on disk: SimulatedDisk, _ durability: StoreConfiguration.Durability = .synced) {
        self.disk = disk
        self.durability = durability
    }

    /// Runs the steps; a failing one counts as not done or, where it says so, perhaps done.
    ///
    /// With `stopsAtError` the first failing step ends the run: the machine is off. Otherwise a store
    /// that takes no more is closed and opened again once the faults are over.
    func run(_ workload: Workload, stopsAtError: Bool) async throws {
        for (number, step) in workload.steps.enumerated() {
            let context: Comment = "step \(number), \(step)"
            var next = visible
            step.apply(to: &next)
            let error = await storeError { try await perform(step, context) }
            guard let error else {
                visible = next
                possible = [next]
                try await check(context)
                continue
            }
            errors.append(error.code)
            if stopsAtError {
                // Before its write or after, no one knows.
                possible.insert(next)
                break
            }
            if error.code == .outcomeUnknown { possible.insert(next) }
            try await check(context)
            if [.outcomeUnknown, .poisoned, .closed].contains(error.code) || repository == nil {
                disk.clearFaults()
                try await reopen(closes: true, context)
            }
        }
    }

    /// Drops the store.
    func end() async throws {
        repository = nil
        #expect(try await eventually { disk.openFileCount == 0 && disk.heldLockCount == 0 }, "a leak")
    }

    private func perform(_ step: Workload.Step, _ context: Comment) async throws {
        if repository == nil { try await reopen(closes: false, context) }
        switch step {
        case .save(let note): try await repository?.save(note)
        case .saveAll(let notes): try await repository?.save(contentsOf: notes)
        case .delete(let id): try await repository?.delete(id)
        case .deleteAll(let ids): try await repository?.delete(contentsOf: ids)
        case .flush: try await repository?.flush()
        case .close: try await reopen(closes: true, context)
        case .drop: try await reopen(closes: false, context)
        }
    }

    private func reopen(closes: Bool, _ context: Comment) async throws {
        if closes { try await repository?.close() }
        repository = nil
        guard try await eventually({ disk.heldLockCount == 0 }) else {
            Issue.record("\(context): the store was dropped and its lock is still held")
            return
        }
        let opened = try open(on: disk, durability)
        // Asked of another store, so that this one still has its items in the files alone.
        let found = try await open(on: disk.afterKill(), durability).texts
        #expect(possible.contains(found), "\(context): reopened to \(found), not one of \(possible)")
        (visible, possible) = (found, [found])
        repository = opened
    }

    private func check(_ context: Comment) async throws {
        guard let repository else { return }
        #expect(await repository.count == visible.count, "\(context)")
        for (id, text) in visible {
            #expect(await repository.contains(id), "\(context): \(id)")
            // A part of them, so that others stay in the files under `.onDemand`.
            guard TestLoading.current == .eager || text.utf8.count % 3 == 0 else { continue }
            #expect(await repository.find(by: id)?.text == text, "\(context): \(id)")
        }
        guard TestLoading.current == .eager else { return }
        let found = await repository.texts
        #expect(found == visible, "\(context): the cache has \(found), not \(visible)")
    }
}

/// Opens a store after a crash, checks it against what it may hold, writes to it, and crashes again.
func checkRecovery(
    of disk: SimulatedDisk,
    possible: Set<[String: String]>,
    seed: UInt64,
    _ context: String
) async throws {
    do {
        let repository = try open(on: disk)
        var state = await repository.texts
        #expect(possible.contains(state), "\(context): \(state) is not one of \(possible)")
        try await repository.save(contentsOf: [Note("after", "crash"), Note("a", "after")])
        state["after"] = "crash"
        state["a"] = "after"
        let again = disk.afterPowerCut(.random(seed: seed))
        let second = try open(on: again)
        let found = await second.texts
        #expect(found == state, "\(context), and again: \(found) is not \(state)")
    } catch {
        Issue.record("\(context): \(error)")
    }
}
