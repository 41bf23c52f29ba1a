import LogEngine
import LogInspection
import LogStorage

/// `repair`: saves what is sound of a damaged store into a new one.
struct Repair {
    private let maintainer: Maintainer
    private let access: StoreAccess
    private let out: String

    private var fileSystem: any FileSystem { maintainer.fileSystem }

    init(_ maintainer: Maintainer, _ store: String, _ out: String) throws(MaintenanceError) {
        self.maintainer = maintainer
        self.out = out
        access = try StoreAccess(maintainer, store)
    }

    func run(dryRun: Bool, json: Bool) throws(MaintenanceError) {
        let place = OutputPlace(maintainer: maintainer, store: access.directory.path, path: out)
        try place.checkDirectory()
        let lock = try access.lockIfThere()
        var salvage = try engine { () throws(EngineError) in try Salvage(of: access.directory) }
        var report = salvage.report
        if !dryRun {
            try place.makeDirectory()
            report = try write(&salvage)
            try readBack(report)
        }
        withExtendedLifetime(lock) {}
        let printing = RepairReport(report: report, out: out, maintainer: maintainer)
        if json { try printing.writeJSON() } else { try printing.writeText(access.directory.path) }
    }

    // MARK: The new store

    private func write(_ salvage: inout Salvage) throws(MaintenanceError) -> SalvageReport {
        let target = StoreDirectory(path: out, fileSystem: fileSystem)
        let store = maintainer.surroundings.newStore()
        do throws(EngineError) {
            return try salvage.write(
                to: target,
                store: store,
                fileMode: .privateFile,
                directoryMode: .privateDirectory
            )
        } catch {
            var error = MaintenanceError(error)
            if error.code != .cannotCreate { error.message += " What is in \(out) is unfinished: remove it." }
            throw error
        }
    }

    /// Reads the new store with other code than that which wrote it.
    private func readBack(_ report: SalvageReport) throws(MaintenanceError) {
        let verification = try inspection { () throws(InspectionError) in
            try Verification.run(out, fileSystem, pause: maintainer.surroundings.pause)
        }
        guard verification.verdict == .sound, verification.records == report.liveRecords else {
            throw MaintenanceError(
                .inputOutput,
                """
                \(out) was written and does not read back as it should: \(verification.verdict.rawValue), \
                \(verification.records) of \(report.liveRecords.counted("record")). Do not use it. The disk or its \
                file system returns other bytes than were written; the damaged store is as it was.
                """
            )
        }
    }
}
