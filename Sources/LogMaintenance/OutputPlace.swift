import LogEngine
import LogInspection
import LogStorage

/// Where a command puts what it makes: outside the store it reads, and in the place of nothing.
struct OutputPlace {
    let maintainer: Maintainer
    let store: String
    let path: String

    private var fileSystem: any FileSystem { maintainer.fileSystem }

    /// - Throws: `.cannotCreate` when there is something else than an empty directory.
    func checkDirectory() throws(MaintenanceError) {
        try checkIsOutside()
        switch try kind() {
        case nil: return
        case .file, .other:
            throw MaintenanceError(.cannotCreate, "\(path) exists and is no directory. Name a new directory.")
        case .directory:
            let names = try storage { () throws(StorageError) in try fileSystem.names(in: path) } ?? []
            guard !names.isEmpty else { return }
            throw MaintenanceError(.cannotCreate, "\(path) exists and is not empty. Name a new directory.")
        }
    }

    /// - Throws: `.cannotCreate` when there is something.
    func checkFile() throws(MaintenanceError) {
        try checkIsOutside()
        if try kind() != nil {
            throw MaintenanceError(.cannotCreate, "\(path) exists. Name a new file, or remove it first.")
        }
    }

    func makeDirectory() throws(MaintenanceError) {
        let target = StoreDirectory(path: path, fileSystem: fileSystem)
        do throws(EngineError) {
            try StoreCreation.directory(target, mode: .privateDirectory)
        } catch {
            throw MaintenanceError(.cannotCreate, error.message)
        }
    }

    private func kind() throws(MaintenanceError) -> FileKind? {
        do throws(StorageError) {
            return try fileSystem.kind(of: path)
        } catch {
            throw MaintenanceError(.cannotCreate, error.description)
        }
    }

    private func checkIsOutside() throws(MaintenanceError) {
        guard isInsideStore else { return }
        throw MaintenanceError(
            .cannotCreate,
            "\(path) is \(store) or lies in it, and the store stays as it is."
        )
    }

    /// Whether the place, or the lowest directory above it that is there, lies in the store.
    private var isInsideStore: Bool {
        let realPath = maintainer.surroundings.realPath
        guard let store = realPath(store) else { return false }
        var place = path
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
}
