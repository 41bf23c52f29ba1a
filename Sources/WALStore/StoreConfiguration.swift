#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
package import LogStorage

/// How a store keeps its records.
///
/// ```swift
/// var configuration = StoreConfiguration(durability: .written(syncEvery: .seconds(1)))
/// configuration.retention = .init(generations: 3, deletes: .newest(100_000))
/// configuration.log = { print($0) }
/// let repository = try LocalRepository<Question>(configuration: configuration)
/// ```
public struct StoreConfiguration: Sendable {
    /// When a save counts as done.
    public enum Durability: Hashable, Sendable {
        /// When it is on stable storage: it survives a power cut. Saves that run at the same time share
        /// a sync.
        case synced
        /// When it was handed to the kernel: it survives the death of the process. A power cut may take
        /// what was saved since the last sync, the newest first and never one from the middle.
        case written(syncEvery: Duration)
    }

    /// What opening does with a record that the item type cannot be decoded from.
    public enum UndecodablePolicy: Hashable, Sendable {
        /// It fails, names the ids and changes nothing.
        case refuse
        /// It opens without them and lists them in the recovery report. Their bytes stay.
        case carryForward
    }

    /// When items are decoded.
    public enum Loading: Hashable, Sendable {
        /// All of them when the store is opened. Reads never wait for the disk.
        case eager
        /// Each when it is first asked for. Opening reads the files and notes where each item is, which takes
        /// a tenth of the time and less than half of the memory; the first read of an item then takes as long
        /// as reading and decoding it does. Records that cannot be decoded are treated as under `.carryForward`.
        case onDemand
    }

    /// When the log is merged into a new snapshot, so that size and opening time follow what is live.
    public enum Compaction: Hashable, Sendable {
        /// When the logs have grown past the larger of a minimum and a multiple of the snapshot, both in
        /// bytes. A smaller multiple takes less space and writes more.
        case automatic(minimumBytes: Int = 4 << 20, multiple: Double = 0.4)
        /// Only when `compact()` is called.
        case manual
    }

    /// What stays of the past when a compaction has replaced it.
    public struct Retention: Hashable, Sendable {
        /// Which deletes a snapshot keeps, for readers of changes that were away.
        public enum Deletes: Hashable, Sendable {
            /// None: a reader that was away for longer than the files reach gets a reset.
            case none
            /// Those among so many newest records.
            case newest(Int)
            /// All of them, for ever.
            case all
        }

        /// How many generations before the newest snapshot stay: 1 unless set, and at least 1, since a
        /// damaged snapshot is rebuilt from the one before. `Int.max` keeps all of history.
        public var generations: Int
        /// `.none` unless set.
        public var deletes: Deletes

        /// What stays of the past: the defaults of the members unless given.
        public init(generations: Int = 1, deletes: Deletes = .none) {
            self.generations = generations
            self.deletes = deletes
        }
    }

    /// `.synced` unless set.
    public var durability: Durability = .synced

    /// `.refuse` unless set.
    public var undecodable: UndecodablePolicy = .refuse

    /// `.eager` unless set.
    public var loading: Loading = .eager

    /// The largest record that is taken, in bytes of its line: 16 MiB unless set, at most 256 MiB.
    ///
    /// It bounds what is written, not what is read: a store with larger records opens.
    public var largestRecord: Int = 16 << 20

    /// Whether space is written ahead of the records under `.synced`, true unless set to false.
    ///
    /// A sync of a log that does not grow has less to do: a save takes about a fifth less time on ext4, more on
    /// file systems with a journal. It costs up to 1 MiB of disk while the store is open; a full disk is no
    /// obstacle. Where a file system writes nothing in place (btrfs, ZFS, APFS) it gains nothing.
    public var writesAhead = true

    /// `.automatic()` unless set.
    public var compaction: Compaction = .automatic()

    /// One generation and no deletes unless set.
    public var retention = Retention()

    /// The version of the items' own schema, from 1: written with each item that is saved.
    ///
    /// Raise it when the item type changes so that old values no longer decode, and give a `migrate`.
    /// A value of a later version than this is treated as undecodable.
    public var schemaVersion: Int = 1

    /// Turns the JSON of a value of an older schema version into JSON of `schemaVersion`, when it is
    /// decoded. Nil decodes old values as they are.
    ///
    /// The files are not changed by it: a value is written anew only when it is saved.
    ///
    /// A renamed field, a new field without a default and a field of another type look the same: decode
    /// the old shape, encode the new one.
    ///
    /// ```swift
    /// struct OldQuestion: Codable {
    ///     var id: String
    ///     var text: String
    /// }
    ///
    /// configuration.schemaVersion = 2
    /// configuration.migrate = { json, version in
    ///     let old = try JSONDecoder().decode(OldQuestion.self, from: json)
    ///     return try JSONEncoder().encode(Question(id: old.id, title: old.text, votes: 0))
    /// }
    /// ```
    public var migrate: (@Sendable (_ json: Data, _ fromVersion: Int) throws -> Data)?

    /// The permission bits of the files, 0600 unless set.
    public var fileMode: UInt16 = 0o600

    /// The permission bits of the directories, 0700 unless set.
    public var directoryMode: UInt16 = 0o700

    /// Makes the encoder of the items. Its output must have no line breaks.
    ///
    /// The default sorts keys, so that equal items have equal bytes.
    public var makeEncoder: @Sendable () -> JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return encoder
    }

    /// Makes the decoder of the items; it must read what the encoder writes.
    public var makeDecoder: @Sendable () -> JSONDecoder = { JSONDecoder() }

    /// Told of what happens to the store: its opening and what recovery did, compactions, failures that end
    /// writing, closing. Nil unless set.
    ///
    /// The calls come one after the other, in order, on a queue of their own. No save or read waits for
    /// them, and they may call the store. A closure that holds the repository keeps it open.
    public var log: (@Sendable (StoreEvent) -> Void)?

    /// The operating system's files, or another that stands in for them.
    package var fileSystem: any FileSystem = POSIXFileSystem()

    /// Who runs the repository's own tasks and the calls that block.
    package var execution = StoreExecution()

    /// Milliseconds since 1970-01-01 UTC.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The defaults.
    public init() {}

    /// Durability is the choice that most programs make, if any.
    public init(durability: Durability) {
        self.durability = durability
    }
}
