import LogEngine
import LogFormat
import LogStorage
import TestSupport

/// Damages the stable bytes of a store in every way, and opens it.
///
/// A damaged store opens to the exact state, or without its end where nothing in it tells of more, or is
/// refused: never to anything else. The inspector, which shares no code with that, has to agree. What is
/// sound of a damaged store can be saved.
struct DamageScan {
    static let required: [Counter] =
        Damage.Kind.allCases.map { .damage($0.rawValue) }
        + [.refusals, .exactStates, .firstParts, .rebuilds, .tornTails, .inspections, .livesAfter, .salvages]

    private let unit: CampaignUnit
    private var tally: Tally
    /// Every state that the store has ever had.
    private let history: Set<Moment>
    private let last: Moment
    private let isClosed: Bool
    private var seenOfKind: [Damage.Kind: Int] = [:]
    /// Without optimization one damage of each kind in so many is judged.
    private static let stride = Effort.count(61, release: 1, full: 1)

    static func run(_ unit: CampaignUnit, _ tally: inout Tally) {
        let disk = SimulatedDisk()
        let recorder = Recorder()
        var model = StoreModel()
        model.watcher = { recorder.moments.insert($0.current) }
        // What is damaged is the bytes, not the store that wrote them: that one is sound.
        let writes = unit.sabotage.map { !$0.isOfFileSystem } ?? false
        var work = Workload(disk, model, sabotage: writes ? unit.sabotage : nil)
        do {
            try work.run(unit.steps)
            work.giveUp()
        } catch {
            tally.failures.append(Failure(unit, place: "before the damage", message: "\(error)"))
            return
        }
        var scan = DamageScan(
            unit: unit,
            tally: tally,
            history: recorder.moments.union([.beginning]),
            last: work.model.current,
            isClosed: unit.steps.last == .close
        )
        scan.run(work.disk.afterKill())
        tally = scan.tally
    }

    private mutating func run(_ disk: SimulatedDisk) {
        let directory = StoreDirectory.simulated(disk)
        var files: [String: [UInt8]] = [:]
        for name in disk.sortedNames(in: directory.path) {
            files[name] = disk.contents(of: directory.path(of: name))
        }
        let live: LiveLines?
        do {
            live = try LiveLines(disk, files)
        } catch {
            tally.failures.append(Failure(unit, place: "before the damage", message: "\(error)"))
            return
        }
        Damage.forEach(files) { damage in
            do {
                try judge(damage, live)
            } catch {
                tally.failures.append(
                    Failure(unit, place: "\(damage.kind.rawValue) in \(damage.place)", message: "\(error)")
                )
            }
            return tally.failures.isEmpty
        }
    }

    private mutating func judge(_ damage: Damage, _ live: LiveLines?) throws {
        defer { seenOfKind[damage.kind, default: 0] += 1 }
        guard seenOfKind[damage.kind, default: 0] % Self.stride == 0 else {
            tally.skips["damage left to release builds", default: 0] += 1
            return
        }
        let image = SimulatedDisk.holding(damage.files)
        let fingerprint = image.fingerprint
        tally.note(fingerprint)
        tally.count(.damage(damage.kind.rawValue))
        guard tally.distinct.insert(fingerprint).inserted || unit.sabotage != nil else { return }
        tally.states += 1
        let opening = try Opening(Workload(image, sabotage: unit.sabotage).directory)
        tally.count(.inspections)
        if try !opening.agreesWithInspection(of: .simulated(image)) {
            tally.skips["newer format below the base, not cross-checked", default: 0] += 1
        }
        if fingerprint % 8 == 0 { try salvage(image, opening, damage, live) }
        guard case .opened(let plan, let found) = opening else {
            tally.count(.refusals)
            return
        }
        if plan.cut != nil { tally.count(.tornTails) }
        if plan.rebuild != nil { tally.count(.rebuilds) }
        tally.count(found.state == last.state ? .exactStates : .firstParts)
        guard history.contains(found) else {
            throw Violation(.damageIsExactOrAnError, "opened to \(found), a state that there never was")
        }
        // Only the last mark of a closed store is covered by nothing.
        if isClosed, damage.kind == .flippedBit, found.state != last.state {
            throw Violation(.damageIsExactOrAnError, "a flipped bit took \(last) to \(found)")
        }
        guard fingerprint % 16 == 0 || plan.rebuild != nil || unit.sabotage != nil else { return }
        tally.count(.livesAfter)
        let model = StoreModel(found, endsInMark: plan.highestLogEndsInMark)
        try Workload.checkRecovery(image, model, sabotage: unit.sabotage)
    }

    private mutating func salvage(
        _ image: SimulatedDisk,
        _ opening: Opening,
        _ damage: Damage,
        _ live: LiveLines?
    ) throws {
        guard let check = try SalvageCheck(of: image, opening) else { return }
        tally.count(.salvages)
        guard let live, [.flippedBit, .truncation, .nuls].contains(damage.kind) else { return }
        for (id, value) in live.untouched(damage.files) where check.saved[id] != value {
            throw Violation(
                .salvageKeepsWhatIsSound,
                "\(id) was not damaged and is \(check.saved[id] ?? "gone"), not \(value); \(check.report)"
            )
        }
    }
}

/// Unchecked: used by one thread.
private final class Recorder: @unchecked Sendable {
    var moments: Set<Moment> = []
}
