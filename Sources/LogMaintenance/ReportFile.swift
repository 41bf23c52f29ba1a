import LogFormat
import LogInspection
import LogStorage

/// `report`: writes a page that shows a store.
struct ReportFile {
    private let maintainer: Maintainer
    private let store: String
    private let path: String

    init(_ maintainer: Maintainer, _ store: String, _ path: String) {
        self.maintainer = maintainer
        self.store = store
        self.path = path
    }

    /// Returns the verdict on the store, as a reading command does.
    func run(_ id: CanonicalID?, json: Bool) throws(MaintenanceError) -> ExitCode {
        try OutputPlace(maintainer: maintainer, store: store, path: path).checkFile()
        let (fileSystem, surroundings) = (maintainer.fileSystem, maintainer.surroundings)
        let (page, verdict) = try inspection { () throws(InspectionError) in
            let verification = try Verification.besideAWriter(
                store,
                fileSystem,
                watch: surroundings.watch,
                pause: surroundings.pause
            )
            let report = try StoreReport(verification, chosen: id.map { [$0] } ?? [])
            let page = ReportPage(report, store: store, now: surroundings.now())
            return (Array(page.compose().utf8), verification.verdict)
        }
        try write(page)
        if json {
            var line = JSONLine()
            line.add("type", "summary")
            line.add("html", path)
            line.add("bytes", UInt64(page.count))
            line.add("verdict", verdict.rawValue)
            try maintainer.print(line)
        } else {
            try maintainer.print(
                "\(TerminalText.escaped(path)): \(UInt64(page.count).counted("byte")), to be opened in a browser"
            )
        }
        return ExitCode(verdict)
    }

    private func write(_ page: [UInt8]) throws(MaintenanceError) {
        var (directory, name) = (".", path)
        if let slash = path.lastIndex(of: "/") {
            directory = slash == path.startIndex ? "/" : String(path[..<slash])
            name = String(path[path.index(after: slash)...])
        }
        do throws(StorageError) {
            var file = try AtomicReplace(name, in: directory, of: maintainer.fileSystem, mode: .privateFile)
            do throws(StorageError) {
                try file.append(page)
                try file.sync()
            } catch {
                throw file.abandon(after: error)
            }
            _ = try file.publish()
        } catch {
            throw MaintenanceError(.cannotCreate, error.description)
        }
    }
}
