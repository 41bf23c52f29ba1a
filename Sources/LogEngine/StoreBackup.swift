package import LogStorage

/// Copies a store as it is at a moment into another directory.
package struct StoreBackup: Sendable {
    private let source: StoreDirectory
    private let target: StoreDirectory
    private let fileMode: FileMode
    private let directoryMode: FileMode

    package init(
        _ source: StoreDirectory,
        to target: StoreDirectory,
        fileMode: FileMode,
        directoryMode: FileMode
    ) {
        self.source = source
        self.target = target
        self.fileMode = fileMode
        self.directoryMode = directoryMode
    }

    /// Copies the files of the state up to the limit, makes them stable and reads the copy back.
    ///
    /// The highest log comes last, so that a copy that was cut short does not open as a shorter history. It
    /// gets the mark of a clean close: without one, damage to its last records would look like a crash.
    /// None of the files may be removed meanwhile.
    package func copy(_ files: [StorePlan.File], upTo limit: LogCursor.Limit) throws(EngineError) {
        let names = try io { () throws(StorageError) in try target.fileSystem.names(in: target.path) }
        guard names?.isEmpty ?? true else {
            throw EngineError(.targetExists, "\(target.path) exists and is not empty. Name a new directory.")
        }
        try StoreCreation.directory(target, mode: directoryMode)
        for file in files { try copy(file.name, length: file.length) }
        try copy(StoreDirectory.logName(limit.generation), length: limit.offset)
        guard case .store(let plan) = try Recovery.plan(target), plan.cut == nil, plan.rebuild == nil,
            plan.lastSequenceNumber == limit.sequenceNumber
        else {
            throw EngineError(
                .io,
                "\(target.path) does not hold what was copied to it. The disk returns other bytes than were written."
            )
        }
        try mark(plan)
    }

    private func mark(_ plan: StorePlan) throws(EngineError) {
        let path = target.path(of: plan.highestLog.name)
        guard let file = try io({ () throws(StorageError) in try target.fileSystem.openForWriting(path) })
        else { throw EngineError(StorageError.vanished(path)) }
        let time = plan.lastTime
        var appender = LogAppender(plan, file, target, largestRecord: .max, now: { time })
        if try appender.appendMark() { try io { () throws(StorageError) in try file.sync() } }
    }

    private func copy(_ name: String, length: UInt64) throws(EngineError) {
        let path = source.path(of: name)
        let opened = try io { () throws(StorageError) in try source.fileSystem.openForReading(path) }
        guard let file = opened else {
            throw EngineError(StorageError.vanished(path))
        }
        try io { () throws(StorageError) in
            var copy = try AtomicReplace(name, in: target.path, of: target.fileSystem, mode: fileMode)
            do throws(StorageError) {
                try copy.append(contentsOf: file, length: length, path: path)
                try copy.sync()
            } catch {
                throw copy.abandon(after: error)
            }
            _ = try copy.publish()
        }
    }
}
