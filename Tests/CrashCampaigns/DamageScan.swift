import LogEngine
import LogFormat
import LogInspection
import LogStorage
import TestSupport

/// Damages the stable bytes of a store in every way, and opens it.
///
/// A damaged store opens to the exact state, or without its end where nothing in it tells of more, or is
/// refused: never to anything else. The inspector, which shares no code with that, has to agree.
struct DamageScan {
    static let required: [Counter] =
        Damage.Kind.allCases.map { .damage($0.rawValue) }
        + [.refusals, .exactStates, .firstParts, .rebuilds, .tornTails, .inspections, .livesAfter]

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
        Damage.forEach(files) { damage in
            do {
                try judge(damage)
            } catch {
                tally.failures.append(
                    Failure(unit, place: "\(damage.kind.rawValue) in \(damage.place)", message: "\(error)")
                )
            }
            return tally.failures.isEmpty
        }
    }

    private enum Opening {
        case refused
        case newerFormat
        case absent
        case opened(StorePlan, Moment)

        func fits(_ verdict: Verdict) -> Bool {
            switch self {
            case .refused: verdict == .corruption
            case .newerFormat: verdict == .newerFormat
            case .absent: false
            case .opened(let plan, _): verdict == (plan.cut == nil ? .sound : .tornTail)
            }
        }
    }

    private mutating func judge(_ damage: Damage) throws {
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
        let opening = try open(image)
        try crossCheck(image, opening)
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

    private func open(_ image: SimulatedDisk) throws -> Opening {
        let directory = Workload(image, sabotage: unit.sabotage).directory
        do throws(EngineError) {
            switch try Recovery.plan(directory) {
            case .absent: return .absent
            case .unfinishedImport: return .refused
            case .store(let plan): return try .opened(plan, moment(of: plan, in: directory))
            }
        } catch {
            switch error.code {
            case .corruption, .filesMissing: return .refused
            case .newerFormat: return .newerFormat
            default: throw Violation(.damageIsExactOrAnError, "refused with \(error)")
            }
        }
    }

    private func moment(of plan: StorePlan, in directory: StoreDirectory) throws(EngineError) -> Moment {
        do {
            return try plan.moment(in: directory)
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError(.io, "\(error)")
        }
    }

    /// The store refuses exactly where the inspector sees corruption that the store cannot do without.
    private mutating func crossCheck(_ image: SimulatedDisk, _ opening: Opening) throws {
        tally.count(.inspections)
        guard let verification = try verification(of: image) else {
            if case .absent = opening { return }
            throw Violation(.inspectionAgrees, "the inspector finds no store, opening says \(opening)")
        }
        let relevant = verification.faults.filter { fault in
            switch fault.remedy {
            case .rebuild, .unneeded: false
            default: true
            }
        }
        let verdict = relevant.map(\.verdict).max() ?? .sound
        if case .opened = opening, verdict == .newerFormat {
            // Opening leaves alone what lies below a sound base; then the inspector judges nothing else.
            let base = verification.files.base
            if relevant.allSatisfy({ $0.file.generation < base }) {
                tally.skips["newer format below the base, not cross-checked", default: 0] += 1
                return
            }
        }
        guard opening.fits(verdict) else {
            throw Violation(
                .inspectionAgrees,
                "the inspector says \(verdict) \(relevant), opening \(opening)"
            )
        }
    }

    /// Nil when the inspector finds no store.
    private func verification(of image: SimulatedDisk) throws -> Verification? {
        do throws(InspectionError) {
            return try Verification.run(StoreDirectory.simulated(image).path, image, pause: {})
        } catch .noStore {
            return nil
        }
    }
}

/// Unchecked: used by one thread.
private final class Recorder: @unchecked Sendable {
    var moments: Set<Moment> = []
}
