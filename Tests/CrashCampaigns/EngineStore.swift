package import LogEngine
import LogFormat
package import LogStorage
import TestSupport

/// A store on the engine alone, with one caller that waits for everything: what the repository does
/// without types, cache and tasks.
package struct EngineStore {
    package var appender: LogAppender
    package private(set) var lock: (any HeldLock)?
    package let plan: StorePlan
    package let quarantined: [QuarantinedBytes]
    package let moment: Moment
    private let directory: StoreDirectory
    private var files: StoreFiles
    private let sabotage: Sabotage?

    /// Makes the store if there is none, opens it, and leaves it stable.
    package static func open(
        _ directory: StoreDirectory,
        space: SpaceAhead? = nil,
        sabotage: Sabotage? = nil,
        now: @escaping @Sendable () -> Int64 = { 1_796_000_000_500 }
    ) throws -> EngineStore {
        if try directory.fileSystem.kind(of: directory.path) == nil {
            try StoreCreation.directory(directory, mode: .privateDirectory)
        }
        let path = directory.path(of: StoreDirectory.lockName)
        let result = try directory.fileSystem.lock(path, mode: .privateFile, note: "the test")
        guard case .acquired(let lock) = result else { throw StoreInUse() }
        var plan: StorePlan
        switch try Recovery.plan(directory) {
        case .store(let found): plan = found
        case .absent: plan = try create(directory, at: now())
        case .unfinishedImport: throw NoStore(path: directory.path)
        }
        try plan.spoil(sabotage, in: directory)
        let moment = try plan.moment(in: directory)
        let outcome = try effects(of: plan, in: directory, at: now(), sabotage)
        if sabotage == .reusesANumber { plan.lastSequenceNumber = plan.lastSequenceNumber.previous }
        return EngineStore(
            appender: LogAppender(outcome.log, plan, in: directory, space: space, now: now),
            lock: lock,
            plan: plan,
            quarantined: outcome.quarantined,
            moment: moment,
            directory: directory,
            files: StoreFiles(plan, rebuilt: outcome.rebuilt),
            sabotage: sabotage
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

    private static func effects(
        of plan: StorePlan,
        in directory: StoreDirectory,
        at time: Int64,
        _ sabotage: Sabotage?
    ) throws -> (log: any StorageFile, quarantined: [QuarantinedBytes], rebuilt: StorePlan.File?) {
        let effects = RecoveryEffects(
            directory,
            fileMode: .privateFile,
            directoryMode: .privateDirectory,
            time: time
        )
        let skips = sabotage == .trustsASecondSync && plan.cut == nil || sabotage == .appendsBehindATornTail
        guard skips, plan.rebuild == nil else {
            let outcome = try effects.perform(plan)
            return (outcome.log, outcome.quarantined, outcome.rebuilt)
        }
        try effects.removeTemporaries()
        let path = directory.path(of: plan.highestLog.name)
        guard let log = try directory.fileSystem.openForWriting(path) else { throw NoStore(path: path) }
        try log.sync()
        try directory.fileSystem.syncDirectory(directory.path)
        return (log, [], nil)
    }

    /// Writes the changes as one batch.
    package mutating func append(_ changes: [Change], _ model: inout StoreModel) throws {
        if appender.needsSyncBeforeAppend {
            if sabotage == .appendsOverAnUnstableCut { appender.didSync(appender.syncPoint) }
        }
        if appender.needsSyncBeforeAppend { try sync(&model) }
        model.willAppend(changes)
        let batches = sabotage == .ignoresBatches ? changes.map { [$0] } : [changes]
        for batch in batches { _ = try appender.append(batch.map(\.encoded)) }
        if sabotage == .saysSyncedTooEarly { appender.didSync(appender.syncPoint) }
        model.didAppend(changes)
        if sabotage == .acknowledgesBeforeTheSync { model.didSync() }
    }

    /// Acknowledges all that was written.
    package mutating func sync(_ model: inout StoreModel) throws {
        if let poison = appender.poison { throw poison }
        guard let file = appender.file else { throw EngineError(.closed, "It is closed.") }
        let point = appender.syncPoint
        do throws(StorageError) {
            try file.sync()
        } catch {
            if sabotage != .goesOnAfterAFailedSync { appender.syncFailed(error, cutBack: true) }
            throw error
        }
        appender.didSync(point)
        model.didSync()
    }

    /// Merges everything into a new snapshot and removes what that has replaced.
    package mutating func compact(_ model: inout StoreModel) throws {
        if !files.earlierLogs.isEmpty { try merge() }
        guard appender.hasRecords else { return }
        try rotate(&model)
        try merge()
    }

    private mutating func rotate(_ model: inout StoreModel) throws {
        if sabotage == .rotatesBeforeTheSync { appender.didSync(appender.syncPoint) }
        if appender.hasUnsynced { try sync(&model) }
        if let poison = appender.poison { throw poison }
        if try appender.cutSpaceAhead() { try sync(&model) }
        let header = files.nextHeader(after: appender.written.sequenceNumber, time: appender.time)
        let file: any StorageFile
        do throws(Rotation.Failure) {
            file = try Rotation.begin(header, in: directory, mode: .privateFile)
        } catch {
            switch error {
            case .notBegun(let error): throw error
            case .unknown(let error):
                appender.poison(error)
                throw error
            }
        }
        let end = appender.written
        do {
            let path = directory.path(of: StoreDirectory.logName(header.generation))
            try appender.rotate(to: file, path: path, header)
        } catch {
            appender.poison(error)
            throw error
        }
        files.didRotate(to: header, endOfLast: end)
        model.didRotate()
    }

    private mutating func merge() throws {
        let replaced = files.baseGeneration
        let header = files.snapshotHeader(
            keepingDeletesSince: files.firstSequenceNumber,
            time: appender.time
        )
        var sources = files.sources
        if sabotage == .forgetsTheBase { sources.removeAll { $0.kind == .snapshot } }
        let snapshot = try Compactor(directory, mode: .privateFile).merge(sources, into: header)
        files.didCompact(into: snapshot, header)
        guard let listing = try directory.listing() else { return }
        var lowest = min(Retention.lowest(in: listing, keeping: 1), replaced)
        if sabotage == .removesLogsBeforeTheDirectorySync { lowest = snapshot.generation }
        try Retention.remove(below: lowest, from: directory)
    }

    /// Drops the files and the lock.
    package mutating func giveUp() {
        appender.close()
        lock = nil
    }

    /// Gives the store up in every case, also when it throws.
    package mutating func close(_ model: inout StoreModel) throws {
        defer { giveUp() }
        if let poison = appender.poison { throw poison }
        if sabotage == .marksBeforeTheSync { appender.didSync(appender.syncPoint) }
        if appender.hasUnsynced { try sync(&model) }
        model.willMark()
        guard try appender.appendMark() else { return }
        model.didMark()
        try sync(&model)
    }
}

package struct StoreInUse: Error {}

extension StorePlan {
    /// Makes the plan that a sabotaged recovery would make.
    fileprivate mutating func spoil(_ sabotage: Sabotage?, in directory: StoreDirectory) throws {
        switch sabotage {
        case .appendsBehindATornTail:
            guard cut != nil, rebuild == nil else { return }
            let path = directory.path(of: highestLog.name)
            let length = try directory.fileSystem.openForReading(path)?.length()
            files[files.count - 1].length = length ?? highestLog.length
            cut = nil
        case .forgetsTheLastRecord:
            guard let slot = index.liveSlots().last, records > 2 else { return }
            var location = index.location(at: slot)
            location.isDelete = true
            index.id(at: slot).spelling.withUnsafeBytes { index.set($0, location) }
        default: return
        }
    }
}

extension LogAppender {
    /// An appender that goes on where a plan ends.
    package init(
        _ file: any StorageFile,
        _ plan: StorePlan,
        in directory: StoreDirectory,
        largestRecord: Int = LogScanner.longestLine,
        space: SpaceAhead? = nil,
        now: @escaping @Sendable () -> Int64
    ) {
        self.init(plan, file, directory, largestRecord: largestRecord, space: space, now: now)
    }
}
