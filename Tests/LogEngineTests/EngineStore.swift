import LogEngine
import LogFormat
import LogStorage
import TestSupport

/// A store on the engine alone, with one caller that waits for everything: what the repository does
/// without types, cache and tasks.
struct EngineStore {
    var appender: LogAppender
    private(set) var lock: (any HeldLock)?
    let plan: StorePlan
    let quarantined: [QuarantinedBytes]
    let moment: Moment

    /// Makes the store if there is none, opens it, and leaves it stable.
    static func open(
        _ directory: StoreDirectory,
        now: @escaping @Sendable () -> Int64 = { 1_796_000_000_500 }
    ) throws -> EngineStore {
        if try directory.fileSystem.kind(of: directory.path) == nil {
            try StoreCreation.directory(directory, mode: .privateDirectory)
        }
        let path = directory.path(of: StoreDirectory.lockName)
        let result = try directory.fileSystem.lock(path, mode: .privateFile, note: "the test")
        guard case .acquired(let lock) = result else { throw StoreInUse() }
        let plan: StorePlan
        switch try Recovery.plan(directory) {
        case .store(let found): plan = found
        case .absent: plan = try create(directory, at: now())
        case .unfinishedImport: throw NoStore(path: directory.path)
        }
        let moment = try plan.moment(in: directory)
        let outcome = try RecoveryEffects(
            directory,
            fileMode: .privateFile,
            directoryMode: .privateDirectory,
            time: now()
        ).perform(plan)
        let appender = LogAppender(outcome.log, plan, in: directory, now: now)
        return EngineStore(
            appender: appender,
            lock: lock,
            plan: plan,
            quarantined: outcome.quarantined,
            moment: moment
        )
    }

    private static func create(_ directory: StoreDirectory, at time: Int64) throws -> StorePlan {
        try StoreCreation.directory(directory, mode: .privateDirectory)
        let header = FileHeader(
            kind: .log,
            store: LogBuilder.store,
            generation: 1,
            firstSequenceNumber: .first,
            time: time
        )
        _ = try StoreCreation.log(header, in: directory, mode: .privateFile)
        return try Recovery.storePlan(directory)
    }

    /// Writes the changes as one batch.
    mutating func append(_ changes: [Change], _ model: inout StoreModel) throws {
        if appender.needsSyncBeforeAppend { try sync(&model) }
        model.willAppend(changes)
        _ = try appender.append(changes.map(\.encoded))
        model.didAppend(changes)
    }

    /// Acknowledges all that was written.
    mutating func sync(_ model: inout StoreModel) throws {
        if let poison = appender.poison { throw poison }
        guard let file = appender.file else { throw EngineError(.closed, "It is closed.") }
        let point = appender.syncPoint
        do throws(StorageError) {
            try file.sync()
        } catch {
            appender.syncFailed(error, cutBack: true)
            throw error
        }
        appender.didSync(point)
        model.didSync()
    }

    /// Drops the files and the lock.
    mutating func giveUp() {
        appender.close()
        lock = nil
    }

    /// Gives the store up in every case, also when it throws.
    mutating func close(_ model: inout StoreModel) throws {
        defer { giveUp() }
        if let poison = appender.poison { throw poison }
        if appender.hasUnsynced { try sync(&model) }
        model.willMark()
        guard try appender.appendMark() else { return }
        model.didMark()
        try sync(&model)
    }
}

struct StoreInUse: Error {}

extension LogAppender {
    /// An appender that goes on where a plan ends.
    init(
        _ file: any StorageFile,
        _ plan: StorePlan,
        in directory: StoreDirectory,
        largestRecord: Int = LogScanner.longestLine,
        now: @escaping @Sendable () -> Int64
    ) {
        self.init(plan, file, directory, largestRecord: largestRecord, now: now)
    }
}
