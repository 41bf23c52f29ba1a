package import LogFormat

/// What the tool was asked to do, as far as the arguments alone tell.
package enum Command: Hashable, Sendable {
    /// The general help, or that of one command.
    case help(CommandName?)
    case version
    case completions(Shell)
    case manual
    case info(store: String, json: Bool)
    case verify(store: String, json: Bool)
    case dump(store: String, selection: RecordSelection, form: RecordForm)
    case get(store: String, id: CanonicalID, moment: Moment?, json: Bool)
    case list(store: String, moment: Moment?, values: Bool, json: Bool)
    case history(store: String, id: CanonicalID, json: Bool)
    case tail(store: String, count: Int, follows: Bool, form: RecordForm)
    case difference(DifferenceSides, json: Bool)
    case export(store: String, moment: Moment?, format: ExportFormat)
    case statistics(store: String, key: StatisticsKey, top: Int?, json: Bool)
    // The rest write, or belong to one that does, and so need the library: others run them.
    case compact(store: String, json: Bool)
    case `import`(store: String, file: String, key: String, json: Bool)
    case report(store: String, html: String, id: CanonicalID?, json: Bool)
    case redact(store: String, out: String, json: Bool)
    case repair(store: String, out: String, dryRun: Bool, json: Bool)
    case quarantineList(store: String, json: Bool)
    case quarantineShow(store: String, name: String, form: QuarantineForm)
    case quarantineRestore(store: String, name: String, overwrite: Bool, dryRun: Bool, json: Bool)
    case demo(directory: String?)
}

extension Command {
    /// Whether it looks between pieces of work for someone who asks it to stop. The others are ended by the
    /// signal itself, and what they leave is what a crash leaves.
    package var canBeInterrupted: Bool {
        switch self {
        case .compact, .repair, .quarantineRestore, .demo: false
        default: true
        }
    }
}

/// The words that stand for commands.
package enum CommandName: String, CaseIterable, Sendable {
    case info
    case verify
    case dump
    case get
    case list = "ls"
    case history
    case tail
    case statistics = "stats"
    case difference = "diff"
    case export
    case `import`
    case report
    case redact
    case compact
    case repair
    case quarantineList = "quarantine list"
    case quarantineShow = "quarantine show"
    case quarantineRestore = "quarantine restore"
    case demo
    case completions
    case manual = "man"
}

/// How `dump` and `tail` print a record.
package enum RecordForm: Hashable, Sendable {
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

/// What `diff` compares: two stores, or one at two moments.
package struct DifferenceSides: Hashable, Sendable {
    package var left: String
    /// Nil: the same store.
    package var right: String?
    /// Nil: the present.
    package var from: Moment?
    package var to: Moment?

    package init(left: String, right: String?, from: Moment?, to: Moment?) {
        self.left = left
        self.right = right
        self.from = from
        self.to = to
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
