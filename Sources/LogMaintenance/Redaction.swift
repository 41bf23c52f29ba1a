import LogFormat
import LogInspection
import LogStorage

/// `redact`: copies a store's files with every value and id blanked, and all else as it was.
///
/// Framing, sizes, numbers and times stay; a checksum that held holds, one that did not does not. So the
/// copy shows the same faults in the same places and may be given away.
struct Redaction {
    private let maintainer: Maintainer
    private let store: String
    private let out: String

    private var fileSystem: any FileSystem { maintainer.fileSystem }

    init(_ maintainer: Maintainer, _ store: String, _ out: String) {
        self.maintainer = maintainer
        self.store = store
        self.out = out
    }

    func run(json: Bool) throws(MaintenanceError) {
        let place = OutputPlace(maintainer: maintainer, store: store, path: out)
        try place.checkDirectory()
        let original = try verify(store)
        try place.makeDirectory()
        var blanking = Blanking()
        do throws(MaintenanceError) {
            for file in original.files.files { try copy(file, &blanking) }
        } catch {
            throw unfinished(error, original)
        }
        let copy = try verify(out)
        guard copy.showsTheSame(as: original) else {
            throw MaintenanceError(
                .inputOutput,
                "\(out) was written, and its values are blanked, but verify does not find in it what it finds in "
                    + "\(store). The store may have changed meanwhile: remove \(out) and try again."
            )
        }
        try report(copy, blanking, json: json)
    }

    private func verify(_ path: String) throws(MaintenanceError) -> Verification {
        try inspection { () throws(InspectionError) in
            try Verification.besideAWriter(
                path,
                fileSystem,
                watch: maintainer.surroundings.watch,
                pause: maintainer.surroundings.pause
            )
        }
    }

    /// Takes back what was written before a failure or an interruption.
    private func unfinished(_ failure: MaintenanceError, _ original: Verification) -> MaintenanceError {
        var failure = failure
        for file in original.files.files {
            do throws(StorageError) {
                _ = try fileSystem.remove("\(out)/\(file.name)")
            } catch {
                failure.message += " \(out)/\(file.name) could not be removed: \(error.reason)."
            }
        }
        return failure
    }

    private func copy(_ source: OpenedFile, _ blanking: inout Blanking) throws(MaintenanceError) {
        let name = "\(source.name)"
        var scanner = LogScanner(length: source.length)
        var target: AtomicReplace
        do throws(StorageError) {
            target = try AtomicReplace(name, in: out, of: fileSystem, mode: .privateFile)
        } catch {
            throw MaintenanceError(error)
        }
        do throws(MaintenanceError) {
            try write(source, &scanner, to: &target, &blanking)
        } catch {
            throw abandoning(target, after: error)
        }
        do throws(StorageError) {
            _ = try target.publish()
        } catch {
            throw MaintenanceError(error)
        }
    }

    private func write(
        _ source: OpenedFile,
        _ scanner: inout LogScanner,
        to target: inout AtomicReplace,
        _ blanking: inout Blanking
    ) throws(MaintenanceError) {
        scan: while true {
            switch scanner.next() {
            case .end: break scan
            case .needsBytes(let offset, let buffer):
                let count = try storage { () throws(StorageError) in
                    try source.file.read(at: offset, into: buffer)
                }
                guard count > 0 else {
                    throw MaintenanceError(.inputOutput, "\(store) changed while it was read. Try again.")
                }
                scanner.didRead(count)
                try inspection { () throws(InspectionError) in
                    try maintainer.surroundings.watch.advance(
                        "redacting \(source.name)",
                        offset,
                        of: source.length
                    )
                }
            case .line(.padding(let place)):
                try append([UInt8](repeating: 0x0A, count: Int(place.length)), to: &target)
            case .line(.header(_, let place)), .line(.footer(_, let place)):
                let line = try storage { () throws(StorageError) in
                    try source.file.bytes(in: place.range, path: store)
                }
                try append(line, to: &target)
            case .line(.record(let record, _)):
                try append(try blanking.line(of: record), to: &target)
            case .line(.invalid(let bytes, _)):
                try append(blanking.damaged(bytes), to: &target)
            }
        }
        try storage { () throws(StorageError) in try target.sync() }
    }

    private func append(_ bytes: [UInt8], to target: inout AtomicReplace) throws(MaintenanceError) {
        try storage { () throws(StorageError) in try target.append(bytes) }
    }

    private func abandoning(_ target: consuming AtomicReplace, after failure: MaintenanceError)
        -> MaintenanceError
    {
        var failure = failure
        do throws(StorageError) {
            try target.abandon()
        } catch {
            failure.message += " The unfinished file could not be removed: \(error.reason)."
        }
        return failure
    }

    // MARK: The outcome

    private func report(_ copy: Verification, _ blanking: Blanking, json: Bool) throws(MaintenanceError) {
        let files = UInt64(copy.files.files.count)
        let bytes = copy.files.files.reduce(0) { $0 + $1.length }
        let ids = UInt64(blanking.idCount)
        if json {
            var line = JSONLine()
            line.add("type", "summary")
            line.add("out", out)
            line.add("verdict", copy.verdict.rawValue)
            line.add("files", files)
            line.add("bytes", bytes)
            line.add("records", copy.records)
            line.add("ids", ids)
            return try maintainer.print(line)
        }
        try maintainer.print(
            """
            \(TerminalText.escaped(store)): \(files.counted("file")), \(bytes.counted("byte")), \
            \(copy.records.counted("record")) copied to \(TerminalText.escaped(out)); verify finds the same in both
            values are blanked and \(ids.counted("id")) replaced; lengths, numbers, times and the store's UUID are kept
            quarantine/ and other files are left out
            """
        )
    }
}
