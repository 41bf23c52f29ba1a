import LogEngine
import LogInspection
import LogStorage

/// A store that a command was pointed at, before anything of it is read.
struct StoreAccess {
    let maintainer: Maintainer
    let directory: StoreDirectory

    private var fileSystem: any FileSystem { maintainer.fileSystem }

    /// - Throws: `.noStore` when there is no directory at the path.
    init(_ maintainer: Maintainer, _ path: String) throws(MaintenanceError) {
        self.maintainer = maintainer
        directory = StoreDirectory(path: path, fileSystem: maintainer.fileSystem)
        let kind = try storage { () throws(StorageError) in try maintainer.fileSystem.kind(of: path) }
        switch kind {
        case .directory: break
        case .file, .other:
            throw MaintenanceError(.noStore, "\(path) is no directory, and a store is one.")
        case nil:
            throw MaintenanceError(.noStore, "There is no directory \(path).")
        }
    }

    /// Opens the store for writing, as any opening does, and tells what that has cut.
    func open() throws(MaintenanceError) -> UntypedStore {
        let surroundings = maintainer.surroundings
        let since = Timestamp.text(surroundings.now())
        let store = try engine { () throws(EngineError) in
            try UntypedStore(
                directory,
                note: "\(surroundings.holder) since \(since)\n",
                now: surroundings.now
            )
        }
        if let rebuild = store.plan.rebuild {
            try maintainer.remark(
                """
                Snapshot \(rebuild.generation) was damaged (\(rebuild.damage.reason)) and was rebuilt from the \
                generation before. Nothing is lost.
                """
            )
        }
        if let cut = store.plan.cut, !cut.isBlank {
            let length = cut.range.upperBound - cut.range.lowerBound
            try maintainer.remark(
                """
                The torn tail of \(store.plan.highestLog.name) was cut, \(length.counted("byte")) from byte \
                \(cut.range.lowerBound): \(cut.reason). No record known to be synced is lost.
                """
            )
        }
        for bytes in store.outcome.quarantined {
            try maintainer.remark("The bytes that were in \(bytes.file) are kept at \(bytes.path).")
        }
        return store
    }

    /// Holds the store's lock as long as the result lives, if the store has a lock file.
    ///
    /// Beside a live writer every fault would be provisional. The file keeps its text, since a damaged
    /// store stays as it is; and where there is none, or nobody can write, none is made.
    func lockIfThere() throws(MaintenanceError) -> (any HeldLock)? {
        let path = directory.path(of: StoreDirectory.lockName)
        let opened = try storage { () throws(StorageError) in try fileSystem.openForReading(path) }
        guard let file = opened else { return nil }
        let text = try storage { () throws(StorageError) in
            try file.bytes(in: 0..<file.length(), path: path)
        }
        let result: LockResult
        do throws(StorageError) {
            result = try fileSystem.lock(
                path,
                mode: .privateFile,
                note: String(decoding: text, as: UTF8.self)
            )
        } catch {
            if error.isReadOnlyDisk { return nil }
            throw MaintenanceError(error)
        }
        switch result {
        case .acquired(let lock):
            return lock
        case .held(let holder):
            let holder = holder.isEmpty ? "someone who left no note" : String(holder.prefix { $0 != "\n" })
            throw MaintenanceError(
                .inUse,
                "\(directory.path) is in use by \(holder). Its faults are certain only once that has ended."
            )
        }
    }
}
