package import LogFormat

/// What the tool was asked to do, as far as the arguments alone tell.
package enum Command: Hashable, Sendable {
    /// The general help, or that of one command.
    case help(CommandName?)
    case version
    case info(store: String, json: Bool)
    case verify(store: String, json: Bool)
    case dump(store: String, selection: RecordSelection, form: DumpForm)
    case get(store: String, id: CanonicalID, moment: Moment?, json: Bool)
    case list(store: String, moment: Moment?, values: Bool, json: Bool)
    // The rest write, or belong to one that does, and so need the library: others run them.
    case compact(store: String, json: Bool)
    case repair(store: String, out: String, dryRun: Bool, json: Bool)
    case quarantineList(store: String, json: Bool)
    case quarantineShow(store: String, name: String, form: QuarantineForm)
    case quarantineRestore(store: String, name: String, overwrite: Bool, dryRun: Bool, json: Bool)
    case demo(directory: String?)
}

/// The words that stand for commands.
package enum CommandName: String, CaseIterable, Sendable {
    case info
    case verify
    case dump
    case get
    case list = "ls"
    case compact
    case repair
    case quarantineList = "quarantine list"
    case quarantineShow = "quarantine show"
    case quarantineRestore = "quarantine restore"
    case demo
}

/// How `dump` prints a record.
package enum DumpForm: Hashable, Sendable {
    case table
    case json
    /// The lines byte for byte.
    case raw
}

/// How `quarantine show` prints quarantined bytes.
package enum QuarantineForm: Hashable, Sendable {
    case text
    case json
    /// The bytes as they are.
    case raw
}

/// A point in a store's history: behind a record, or at a time.
package enum Moment: Hashable, Sendable {
    case sequenceNumber(SequenceNumber)
    /// Milliseconds since 1970-01-01 UTC.
    case time(Int64)

    /// Whether a record of this number and time belongs to the state at the moment.
    func includes(_ number: SequenceNumber, _ time: Int64) -> Bool {
        switch self {
        case .sequenceNumber(let last): number <= last
        case .time(let last): time <= last
        }
    }
}

/// Which records to print. All bounds belong to the selection.
package struct RecordSelection: Hashable, Sendable {
    package var from: SequenceNumber?
    package var to: SequenceNumber?
    /// Milliseconds since 1970-01-01 UTC.
    package var since: Int64?
    package var until: Int64?
    package var id: CanonicalID?
    package var operation: Record.Operation?

    package init() {}

    func includes(_ record: Record) -> Bool {
        if let from, record.sequenceNumber < from { return false }
        if let to, record.sequenceNumber > to { return false }
        if let since, record.time < since { return false }
        if let until, record.time > until { return false }
        if let operation, record.operation != operation { return false }
        if let id { return record.id.elementsEqual(id.spelling) }
        return true
    }
}
