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
        try checkTarget()
        let lock = try access.lockIfThere()
        var salvage = try engine { () throws(EngineError) in try Salvage(of: access.directory) }
        var report = salvage.report
        if !dryRun {
            try makeDirectory()
            report = try write(&salvage)
            try readBack(report)
        }
        withExtendedLifetime(lock) {}
        let printing = RepairReport(report: report, out: out, maintainer: maintainer)
        if json { try printing.writeJSON() } else { try printing.writeText(access.directory.path) }
    }

    // MARK: Where it goes

    private func checkTarget() throws(MaintenanceError) {
        if isInsideStore {
            throw MaintenanceError(
                .cannotCreate,
                "\(out) is \(access.directory.path) or lies in it, and the damaged store stays as it is."
            )
        }
        let kind: FileKind?
        do throws(StorageError) {
            kind = try fileSystem.kind(of: out)
        } catch {
            throw MaintenanceError(.cannotCreate, error.description)
        }
        switch kind {
        case nil: return
        case .file, .other:
            throw MaintenanceError(.cannotCreate, "\(out) exists and is no directory. Name a new directory.")
        case .directory:
            let names = try storage { () throws(StorageError) in try fileSystem.names(in: out) } ?? []
            guard !names.isEmpty else { return }
            throw MaintenanceError(.cannotCreate, "\(out) exists and is not empty. Name a new directory.")
        }
    }

    /// Whether the target, or the lowest directory above it that is there, lies in the store.
    private var isInsideStore: Bool {
        let realPath = maintainer.surroundings.realPath
        guard let store = realPath(access.directory.path) else { return false }
        var place = out
        while realPath(place) == nil {
            guard let slash = place.lastIndex(of: "/") else {
                place = "."
                break
            }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        guard let real = realPath(place) else { return false }
        return real == store || real.hasPrefix(store == "/" ? store : store + "/")
    }

    private func makeDirectory() throws(MaintenanceError) {
        let target = StoreDirectory(path: out, fileSystem: fileSystem)
        do throws(EngineError) {
            try StoreCreation.directory(target, mode: .privateDirectory)
        } catch {
            throw MaintenanceError(.cannotCreate, error.message)
        }
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
