package import LogEngine
import LogFormat
import LogInspection
import LogStorage

/// What came of opening a store's files, whatever they are, before anything is changed.
package enum Opening: Sendable {
    case refused
    case newerFormat
    case absent
    case opened(StorePlan, Moment)

    /// - Throws: `Violation` when opening fails other than for what the files hold.
    package init(_ directory: StoreDirectory) throws {
        do throws(EngineError) {
            switch try Recovery.plan(directory) {
            case .absent: self = .absent
            case .unfinishedImport: self = .refused
            case .store(let plan): self = try .opened(plan, Self.moment(of: plan, in: directory))
            }
        } catch {
            switch error.code {
            case .corruption, .filesMissing: self = .refused
            case .newerFormat: self = .newerFormat
            default: throw Violation(.damageIsExactOrAnError, "refused with \(error)")
            }
        }
    }

    private static func moment(
        of plan: StorePlan,
        in directory: StoreDirectory
    ) throws(EngineError) -> Moment {
        do {
            return try plan.moment(in: directory)
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError(.io, "\(error)")
        }
    }

    /// Asks the inspector, which shares no code with opening: the store has to be refused exactly where
    /// the inspector sees corruption that the store cannot do without.
    ///
    /// False when it was not asked in full: opening leaves alone what lies below a sound base, but with
    /// a newer format there the inspector judges nothing else.
    ///
    /// - Throws: `Violation` when the two disagree.
    package func agreesWithInspection(of directory: StoreDirectory) throws -> Bool {
        guard let verification = try Self.verification(of: directory) else {
            if case .absent = self { return true }
            throw Violation(.inspectionAgrees, "the inspector finds no store, opening says \(self)")
        }
        let relevant = verification.faults.filter { fault in
            switch fault.remedy {
            case .rebuild, .unneeded: false
            default: true
            }
        }
        let verdict = relevant.map(\.verdict).max() ?? .sound
        if case .opened = self, verdict == .newerFormat {
            let base = verification.files.base
            if relevant.allSatisfy({ $0.file.generation < base }) { return false }
        }
        guard fits(verdict) else {
            throw Violation(.inspectionAgrees, "the inspector says \(verdict) \(relevant), opening \(self)")
        }
        return true
    }

    private func fits(_ verdict: Verdict) -> Bool {
        switch self {
        case .refused: verdict == .corruption
        case .newerFormat: verdict == .newerFormat
        case .absent: false
        case .opened(let plan, _): verdict == (plan.cut == nil ? .sound : .tornTail)
        }
    }

    /// Nil when the inspector finds no store.
    private static func verification(of directory: StoreDirectory) throws -> Verification? {
        do throws(InspectionError) {
            return try Verification.run(directory.path, directory.fileSystem, pause: {})
        } catch .noStore {
            return nil
        }
    }
}
