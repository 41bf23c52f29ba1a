/// A fault that is planted on purpose: each one has to be caught by some layer, or the suite has a hole.
///
/// The first group is a file system that does less than it says, the second a store that does things in
/// the wrong order, the third a repository whose tasks come between each other. None of it is in the
/// library.
package enum Sabotage: String, CaseIterable, Sendable {
    // MARK: The file system

    /// No sync of a file does anything.
    case skipsFileSyncs
    /// No sync of a directory does anything.
    case skipsDirectorySyncs
    /// No file is ever cut.
    case skipsTruncations
    /// A file is renamed before its bytes are stable.
    case renamesBeforeTheSync
    /// A file gets its name in two steps: the old one goes first.
    case renamesInTwoSteps
    /// A file that replaces another is written in its place.
    case replacesInPlace
    /// Unfinished files stay.
    case keepsTemporaries
    /// The checksum of a damaged line is made to fit when it is read.
    case restampsDamagedLines
    /// A log goes before the snapshot that replaces it has its name.
    case removesLogsBeforeTheRename
    /// A log goes when the snapshot's name is not yet stable.
    case removesLogsBeforeTheDirectorySync
    /// What recovery cuts is not kept.
    case keepsNothingInQuarantine
    /// A write that failed counts as done.
    case hidesFailedWrites
    /// A sync that failed counts as done.
    case hidesFailedSyncs
    /// A sync that failed is tried again, and the second answer believed.
    case retriesFailedSyncs
    /// A file that cannot be read counts as missing.
    case takesUnreadableForMissing
    /// Everyone gets the lock.
    case locksForEveryone

    // MARK: The store

    /// A change is acknowledged when it is written.
    case acknowledgesBeforeTheSync
    /// A record says that the ones before it are synced when they are only written.
    case saysSyncedTooEarly
    /// A batch is written as single records.
    case ignoresBatches
    /// A closed log is marked before its records are synced.
    case marksBeforeTheSync
    /// The next log is begun before the one before is synced.
    case rotatesBeforeTheSync
    /// Writing goes on after a failed sync.
    case goesOnAfterAFailedSync
    /// What was cut back after a failed write is not made stable before the next one.
    case appendsOverAnUnstableCut
    /// Opening takes bytes for stable because a second sync of them succeeds.
    case trustsASecondSync
    /// Opening does not cut a torn tail and appends behind it.
    case appendsBehindATornTail
    /// The first record after opening takes the number of the last one.
    case reusesANumber
    /// A merge leaves out the snapshot that the logs continue.
    case forgetsTheBase
    /// Opening leaves out the last record.
    case forgetsTheLastRecord

    // MARK: The order of tasks

    /// A save is acknowledged by the sync that ends next, also one that began before its write.
    case acknowledgesWithTheSyncThatRuns
    /// An update reads in one step and saves in another.
    case updatesInTwoSteps
    /// A read gives what is written and not yet acknowledged.
    case readsBeforeTheSync
    /// Once in a while nobody goes on with a task whose turn it is.
    case losesAWakeUp

    /// Whether only the order of tasks can show it.
    var isOfOrder: Bool {
        switch self {
        case .acknowledgesWithTheSyncThatRuns, .updatesInTwoSteps, .readsBeforeTheSync, .losesAWakeUp: true
        default: false
        }
    }

    /// Whether the file system is at fault, else the store.
    var isOfFileSystem: Bool {
        switch self {
        case _ where isOfOrder: false
        case .acknowledgesBeforeTheSync, .saysSyncedTooEarly, .ignoresBatches, .marksBeforeTheSync,
            .rotatesBeforeTheSync, .goesOnAfterAFailedSync, .appendsOverAnUnstableCut, .trustsASecondSync,
            .appendsBehindATornTail, .reusesANumber, .forgetsTheBase, .forgetsTheLastRecord:
            false
        default: true
        }
    }
}
