import LogEngine
import LogInspection
import LogStorage
import TestSupport

/// Runs a workload once and looks at what a crash at every point of it would leave.
///
/// Before each operation that changes the disk, and at the end, images of the disk are taken: what a
/// power cut may leave and what the death of the process leaves. Each is opened and held against what
/// the model allows at that moment.
package struct CrashScan {
    package struct Options: Sendable {
        /// All sets of survivors are tried where there are at most so many.
        var exhaustive: Int
        /// Random sets of survivors for each doubling of the number of sets that there are.
        var random: Int
        /// One in so many disks is gone on with.
        var livesAfter: UInt64
        /// One in so many disks is judged by the inspector too.
        var inspections: UInt64
        /// One in so many disks has its opening crashed at each point, as these options say; 0 for none.
        var nested: UInt64 = 0

        static let sequences = Options(exhaustive: 120, random: 1, livesAfter: 3, inspections: 4)
        static let workloads = Options(exhaustive: 6, random: 2, livesAfter: 12, inspections: 24)
        static let recovery = Options(exhaustive: 0, random: 1, livesAfter: 16, inspections: 32, nested: 3)
        static let inRecovery = Options(exhaustive: 4, random: 1, livesAfter: 4, inspections: 32)
    }

    package static func run(_ unit: CampaignUnit, _ options: Options, _ tally: inout Tally) {
        let watch = Watch(options, unit, tally)
        // The watch's is the only one then, so that its set of disks is never copied.
        tally = Tally()
        watch.run(unit.steps, on: SimulatedDisk(), StoreModel())
        tally = watch.tally
        if let failure = watch.failure { tally.failures.append(failure) }
    }
}

/// Looks at a disk while a store works on it.
///
/// Unchecked: a watch, its store and its disk are used by one thread.
final class Watch: @unchecked Sendable {
    private let options: CrashScan.Options
    private let unit: CampaignUnit
    private(set) var tally: Tally
    private(set) var failure: Failure?
    private var model = StoreModel()
    /// What the disks opened to that were judged before, by fingerprint.
    private var seen: [UInt64: Moment] = [:]
    private var point = 0
    private var isCompacting = false
    /// The crash that led here; empty at the outer level.
    private let outer: String

    init(_ options: CrashScan.Options, _ unit: CampaignUnit, _ tally: Tally, outer: String = "") {
        self.options = options
        self.unit = unit
        self.tally = tally
        self.outer = outer
    }

    func run(_ steps: [Step], on disk: SimulatedDisk, _ start: StoreModel) {
        var start = start
        start.watcher = { [self] in
            model = $0
            // It holds the watch, which holds the model.
            model.watcher = nil
        }
        var work = Workload(disk, start, sabotage: unit.sabotage) { [self] in look(at: $0.disk) }
        var step: Step?
        do {
            for next in steps where failure == nil {
                step = next
                isCompacting = next == .compact
                try work.run(next)
            }
            work.giveUp()
            isCompacting = false
            look(at: work.disk)
            guard work.disk.openFileCount == 0, work.disk.heldLockCount == 0 else {
                throw Violation(.nothingIsLeaked, "\(work.disk.openFileCount) files stay open")
            }
        } catch {
            fail("step \(step.map(String.init(describing:)) ?? "-")", error, work.disk)
        }
    }

    private func fail(_ place: String, _ error: any Error, _ disk: SimulatedDisk) {
        guard failure == nil else { return }
        failure = Failure(unit, place: outer + place, message: "\(error)", trace: disk.trace.suffix(8))
    }

    // MARK: One crash point

    private func look(at disk: SimulatedDisk) {
        guard failure == nil else { return }
        point += 1
        for survivors in survivors(of: disk) {
            let image = disk.afterPowerCut(survivors)
            judge(image, isKill: false, "crash point \(point), \(survivors)", disk)
            if failure != nil { return }
        }
        judge(disk.afterKill(), isKill: true, "killed at crash point \(point)", disk)
    }

    private func survivors(of disk: SimulatedDisk) -> [Survivors] {
        let count = disk.survivorCount()
        if count == 1 { return [.everything] }
        let doublings = Int.bitWidth - count.leadingZeroBitCount
        let random = random(min(48, options.random * doublings))
        if count <= options.exhaustive { return (0..<count).map { .numbered($0) } + random }
        return [.nothingUnsynced, .everything] + random
    }

    private func random(_ count: Int) -> [Survivors] {
        (0..<count).map { .random(seed: unit.seed &* 0x1_0000_0001 ^ UInt64(point << 8 | $0)) }
    }

    private func judge(
        _ image: SimulatedDisk,
        isKill: Bool,
        _ place: @autoclosure () -> String,
        _ disk: SimulatedDisk
    ) {
        let fingerprint = image.fingerprint
        tally.note(fingerprint)
        tally.count(isKill ? .kills : .powerCuts)
        if isCompacting { tally.count(.crashesInCompaction) }
        if !outer.isEmpty { tally.count(.crashesInRecovery) }
        do {
            if let found = seen[fingerprint] {
                try check(found, isKill: isKill)
                return
            }
            tally.distinct.insert(fingerprint)
            tally.states += 1
            seen[fingerprint] = try judge(image, fingerprint, isKill: isKill, place())
        } catch {
            fail(place(), error, disk)
        }
    }

    private func check(_ found: Moment, isKill: Bool) throws {
        guard isKill ? model.allowsAfterKill(found) : model.allows(found) else {
            throw WrongState(found: found, allowed: isKill ? [model.current] : model.allowed)
        }
    }

    /// Returns what the disk opens to.
    private func judge(
        _ image: SimulatedDisk,
        _ fingerprint: UInt64,
        isKill: Bool,
        _ place: @autoclosure () -> String
    ) throws -> Moment {
        let plan = try plan(of: image)
        let found = try plan?.moment(in: directory(of: image)) ?? .beginning
        try check(found, isKill: isKill)
        if plan?.cut != nil { tally.count(.tornTails) }
        if image.paths.contains(where: { $0.hasSuffix(".tmp") }) { tally.count(.unfinishedFiles) }
        if fingerprint % options.inspections == 0 { try inspect(image) }
        let opened = StoreModel(found, endsInMark: plan?.highestLogEndsInMark ?? false)
        if options.nested > 0, fingerprint % options.nested == 0 {
            // What a killed process wrote can still be taken by a power cut.
            nest(image, isKill ? model : opened, place())
        }
        if unit.sabotage != nil || fingerprint % options.livesAfter == 0, failure == nil {
            tally.count(.livesAfter)
            try Workload.checkRecovery(image, opened, sabotage: unit.sabotage)
        }
        return found
    }

    private func directory(of image: SimulatedDisk) -> StoreDirectory {
        Workload(image, sabotage: unit.sabotage).directory
    }

    private func plan(of image: SimulatedDisk) throws -> StorePlan? {
        do throws(EngineError) {
            switch try Recovery.plan(directory(of: image)) {
            case .store(let plan): return plan
            case .absent: return nil
            case .unfinishedImport: throw EngineError(.corruption, "It is taken for an import.")
            }
        } catch {
            throw Violation(.openingSucceeds, error.message)
        }
    }

    private func inspect(_ image: SimulatedDisk) throws {
        let path = StoreDirectory.simulated(image).path
        let verification: Verification
        do throws(InspectionError) {
            verification = try Verification.run(path, image, pause: {})
        } catch .noStore {
            return
        }
        tally.count(.inspections)
        guard verification.verdict <= .tornTail else {
            throw Violation(.inspectionAgrees, "the inspector finds corruption: \(verification.faults)")
        }
    }

    /// The opening of what a crash has left is crashed at each of its points.
    private func nest(_ image: SimulatedDisk, _ model: StoreModel, _ place: String) {
        let inner = Watch(.inRecovery, unit, tally, outer: "\(place), then in its opening: ")
        tally = Tally()
        inner.run([.open], on: image.copy(), model)
        tally = inner.tally
        failure = inner.failure
    }
}
