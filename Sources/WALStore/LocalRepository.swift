#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage

public import class Foundation.Progress

/// A store of items on the local disk: all of them in memory, each change a line in a log.
///
/// What the store promises: after any crash it opens to the state after some prefix of the changes in
/// the order in which they were accepted; that prefix holds every acknowledged one, and no part of a
/// batch without the rest. Reads are answered from memory and never wait for the disk.
///
/// What it does not: one opener at a time may write, and the state has to fit into memory.
///
/// ```swift
/// let repository = try LocalRepository<Question>()
/// try await repository.save(Question(id: "q-001", title: "Why?"))
/// let question = await repository.find(by: "q-001")
/// ```
public actor LocalRepository<Item: Codable & Identifiable & Sendable> where Item.ID: Codable & Sendable {
    /// What opening found and did.
    public nonisolated let recovery: RecoveryReport

    nonisolated let coder: ItemCoder<Item>
    nonisolated let configuration: StoreConfiguration
    nonisolated let location: StoreLocation
    nonisolated let events: EventLog
    nonisolated let syncThread: BlockingThread
    nonisolated let compactionThread: BlockingThread

    // The state that readers see: every change in it is acknowledged.
    var state: LoadedState<Item>

    // What is on its way.
    var appender: LogAppender
    var accepted = AcceptedChanges<Item>()
    var syncs = GroupSync<CheckedContinuation<Result<Void, StoreError>, Never>>()
    var syncTimer: Task<Void, Never>?
    /// The timer fired while a sync ran: another one follows it.
    var isSyncDue = false
    var counts = StoreStatistics()
    /// While a new log is begun nothing is appended; who wants to waits here.
    var isHeld = false
    var heldSavers: [CheckedContinuation<Void, Never>] = []

    // Who follows the changes.
    /// The newest changes, once someone has asked for them.
    var recent: RecentChanges<Item>?
    var feedWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var lastFeedWaiter: UInt64 = 0

    // What is merged.
    var files: StoreFiles
    var compaction: RunningCompaction?
    var compactionPause = CompactionPause()

    // The life of the store.
    var lock: (any HeldLock)?
    var isClosed = false
    /// Whether the log was told that nothing more is written.
    private var isPoisonReported = false
    /// They closed the store while it was being closed.
    var othersWhoClose: [CheckedContinuation<Void, Never>] = []

    /// Opens a store, or makes it, on the calling thread.
    ///
    /// The store is the directory `<directory>/<filename without .json>.wal`. When it does not exist and
    /// `<directory>/<filename>` is a JSON array of items, they become the store's first snapshot; the
    /// file is left as it is. Opening recovers from a crash by itself; `recovery` tells what it did.
    ///
    /// - Parameters:
    ///   - directory: Where the store's directory is or is made, with its missing parents.
    ///   - filename: A plain name of at most 200 bytes without a separator or `..`.
    ///   - configuration: How the store keeps its records.
    ///   - progress: Told how far opening has come. Its unit is a byte of the files, each of which is read
    ///     and then decoded and so counts twice. Cancelling it ends the opening with `.cancelled`, until
    ///     all was decoded; then it is too late.
    /// - Throws: `StoreError`. A file that cannot be read, decoded or trusted is an error and never an
    ///   empty store. Nothing is changed then, but for the directory and its lock file being made.
    public init(
        directory: URL = LocalRepository.defaultDirectory,
        filename: String = "data.json",
        configuration: StoreConfiguration = StoreConfiguration(),
        progress: Progress? = nil
    ) throws(StoreError) {
        location = try StoreLocation(directory: directory, filename: filename)
        coder = try ItemCoder(configuration)
        let opened = try StoreOpening(location, configuration, coder, progress).open()
        self.configuration = configuration
        events = EventLog(configuration, store: location.store)
        syncThread = BlockingThread(label: "WALStore sync", configuration.execution)
        compactionThread = BlockingThread(label: "WALStore compaction", configuration.execution)
        recovery = opened.report
        state = opened.state
        appender = opened.appender
        files = opened.files
        lock = opened.lock
        events.report(opened.report)
    }

    /// Opens a store as `init` does, away from the caller's actor: for a main actor that must not block.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: 0)
    /// let opening = Task { try await LocalRepository<Question>.open(progress: progress) }
    /// print("\(Int(progress.fractionCompleted * 100)) % read and decoded")
    /// let repository = try await opening.value
    /// ```
    ///
    /// - Parameters:
    ///   - directory: As for `init`.
    ///   - filename: As for `init`.
    ///   - configuration: As for `init`.
    ///   - progress: As for `init`.
    /// - Throws: `StoreError`, as `init` does.
    public static func open(
        directory: URL = LocalRepository.defaultDirectory,
        filename: String = "data.json",
        configuration: StoreConfiguration = StoreConfiguration(),
        progress: Progress? = nil
    ) async throws(StoreError) -> LocalRepository {
        try await BlockingThread(label: "WALStore opening", configuration.execution).run {
            () throws(StoreError) in
            try LocalRepository(
                directory: directory,
                filename: filename,
                configuration: configuration,
                progress: progress
            )
        }
    }

    /// Tells the log once when nothing more can be written.
    func reportPoison() {
        guard let poison = appender.poison, !isPoisonReported else { return }
        isPoisonReported = true
        events.report(.poisoned(StoreError(poison)))
    }

    /// The user's documents directory, or the working directory where there is none.
    public static var defaultDirectory: URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(filePath: FileManager.default.currentDirectoryPath)
    }
}
