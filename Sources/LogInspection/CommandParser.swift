import LogFormat

/// From arguments to a command: a pure function, which opens nothing.
package enum CommandParser {
    /// The command in the arguments behind the tool's own name.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Command {
        guard let word = arguments.first else { throw UsageError("No command is given") }
        let rest = arguments.dropFirst()
        switch word {
        case "--help", "-h", "help":
            guard let topic = rest.first else { return .help(nil) }
            return .help(try name([topic] + rest.dropFirst().prefix(topic == quarantine ? 1 : 0)))
        case "--version":
            return .version
        case quarantine:
            guard let part = rest.first else { throw UsageError("quarantine needs list, show or restore") }
            if part == "--help" || part == "-h" { return .help(nil) }
            return try command(name([word, part]), rest.dropFirst())
        default:
            return try command(name([word]), rest)
        }
    }

    private static let quarantine = "quarantine"

    private static func name(_ words: [String]) throws(UsageError) -> CommandName {
        let word = words.joined(separator: " ")
        guard let name = CommandName(rawValue: word) else {
            throw UsageError("There is no command \(word)")
        }
        return name
    }

    private static func command(_ name: CommandName, _ arguments: ArraySlice<String>) throws(UsageError)
        -> Command
    {
        let words = try CommandWords(arguments, for: name)
        if words.wantsHelp { return .help(name) }
        let json = words.flags.contains("--json")
        let dryRun = words.flags.contains("--dry-run")
        switch name {
        case .info:
            return .info(store: words.store, json: json)
        case .verify:
            return .verify(store: words.store, json: json)
        case .dump:
            return .dump(store: words.store, selection: try words.selection(), form: try words.recordForm())
        case .get:
            let id = try words.id(words.operands[1])
            return .get(store: words.store, id: id, moment: try words.moment("--at"), json: json)
        case .list:
            let values = words.flags.contains("--values")
            return .list(store: words.store, moment: try words.moment("--at"), values: values, json: json)
        case .history:
            return .history(store: words.store, id: try words.id(words.operands[1]), json: json)
        case .tail:
            return .tail(
                store: words.store,
                count: try words.count("-n") ?? 10,
                follows: words.flags.contains("-f"),
                form: try words.recordForm()
            )
        case .statistics:
            let (key, top) = (try words.statisticsKey(), try words.count("--top"))
            if top != nil, key != .id { throw UsageError("--top is for ids", in: name) }
            return .statistics(store: words.store, key: key, top: top, json: json)
        case .difference:
            return .difference(try words.differenceSides(), json: json)
        case .export:
            return .export(
                store: words.store,
                moment: try words.moment("--at"),
                format: try words.exportFormat()
            )
        case .compact:
            return .compact(store: words.store, json: json)
        case .import:
            let key = words.options["--id-key"] ?? "id"
            return .import(store: words.store, file: words.operands[1], key: key, json: json)
        case .report:
            let id = try words.options["--id"].map { text throws(UsageError) in try words.id(text) }
            return .report(store: words.store, html: try words.pageFile(), id: id, json: json)
        case .completions:
            guard let shell = Shell(rawValue: words.operands[0]) else {
                throw UsageError("completions needs bash, zsh or fish, not \(words.operands[0])", in: name)
            }
            return .completions(shell)
        case .manual:
            return .manual
        case .redact:
            return .redact(store: words.store, out: try words.out(), json: json)
        case .repair:
            return .repair(store: words.store, out: try words.out(), dryRun: dryRun, json: json)
        case .quarantineList:
            return .quarantineList(store: words.store, json: json)
        case .quarantineShow:
            let form = try words.quarantineForm()
            return .quarantineShow(store: words.store, name: try words.quarantineName(), form: form)
        case .quarantineRestore:
            return .quarantineRestore(
                store: words.store,
                name: try words.restorableName(),
                overwrite: words.flags.contains("--overwrite"),
                dryRun: dryRun,
                json: json
            )
        case .demo:
            return .demo(directory: words.operands.first)
        }
    }
}

extension CommandWords {
    /// The path of the store, without the slashes behind it.
    fileprivate var store: String { Self.withoutSlashes(operands[0]) }

    static func withoutSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    fileprivate func recordForm() throws(UsageError) -> RecordForm {
        switch (flags.contains("--json"), flags.contains("--raw")) {
        case (true, true): throw UsageError("--json and --raw exclude each other", in: command)
        case (true, false): return .json
        case (false, true): return .raw
        case (false, false): return .table
        }
    }

    fileprivate func selection() throws(UsageError) -> RecordSelection {
        var selection = RecordSelection()
        selection.from = try options["--from"].map { text throws(UsageError) in try number(text, "--from") }
        selection.to = try options["--to"].map { text throws(UsageError) in try number(text, "--to") }
        selection.since = try options["--since"].map { text throws(UsageError) in try time(text, "--since") }
        selection.until = try options["--until"].map { text throws(UsageError) in try time(text, "--until") }
        selection.id = try options["--id"].map { text throws(UsageError) in try id(text) }
        selection.operation = try options["--op"].map { text throws(UsageError) in try operation(text) }
        if let from = selection.from, let to = selection.to, from > to {
            throw UsageError("--from \(from) lies behind --to \(to)", in: command)
        }
        if let since = selection.since, let until = selection.until, since > until {
            throw UsageError("--since lies behind --until", in: command)
        }
        return selection
    }

    /// The value of an option such as `--at`: digits are a sequence number, all else is a time.
    fileprivate func moment(_ option: String) throws(UsageError) -> Moment? {
        guard let text = options[option] else { return nil }
        let isNumber =
            !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? .sequenceNumber(try number(text, option)) : .time(try time(text, option))
    }

    private func number(_ text: String, _ option: String) throws(UsageError) -> SequenceNumber {
        guard let value = UInt64(text), value <= SequenceNumber.highest.rawValue, !text.hasPrefix("+") else {
            throw UsageError("\(option) needs a sequence number, not \(text)", in: command)
        }
        return SequenceNumber(value)
    }

    private func time(_ text: String, _ option: String) throws(UsageError) -> Int64 {
        guard let time = Timestamp.milliseconds(text) else {
            throw UsageError("\(option) needs a time such as 2026-11-30T07:00:00Z, not \(text)", in: command)
        }
        return time
    }

    fileprivate func differenceSides() throws(UsageError) -> DifferenceSides {
        let right = operands.count > 1 ? Self.withoutSlashes(operands[1]) : nil
        let (from, to) = (try moment("--from"), try moment("--to"))
        if right == nil, from == nil {
            throw UsageError(
                "diff needs a second store, or --from for an earlier state of the one",
                in: command
            )
        }
        return DifferenceSides(left: store, right: right, from: from, to: to)
    }

    fileprivate func exportFormat() throws(UsageError) -> ExportFormat {
        let json = flags.contains("--json")
        guard let text = options["--format"] else { return .jsonl }
        guard let format = ExportFormat(rawValue: text) else {
            throw UsageError("--format needs json, jsonl or csv, not \(text)", in: command)
        }
        if json, format != .jsonl { throw UsageError("--json is --format jsonl", in: command) }
        return format
    }

    fileprivate func statisticsKey() throws(UsageError) -> StatisticsKey {
        guard let text = options["--by"] else { return .id }
        guard let key = StatisticsKey(rawValue: text) else {
            throw UsageError("--by needs id, op, hour or size, not \(text)", in: command)
        }
        return key
    }

    fileprivate func count(_ option: String) throws(UsageError) -> Int? {
        guard let text = options[option] else { return nil }
        guard let count = Int(text), count >= 0, !text.hasPrefix("+"), !text.hasPrefix("-") else {
            throw UsageError("\(option) needs a number, not \(text)", in: command)
        }
        return count
    }

    private func operation(_ text: String) throws(UsageError) -> Record.Operation {
        switch text {
        case "put": return .put
        case "delete": return .delete
        case "mark": return .mark
        default: throw UsageError("--op needs put, delete or mark, not \(text)", in: command)
        }
    }

    /// The id that a word stands for: what is spelled as in the file means that id, so `42` is the
    /// integer and `"42"` the string; anything else is a string as it stands.
    fileprivate func id(_ text: String) throws(UsageError) -> CanonicalID {
        if let id = CanonicalID(spelling: text.utf8) { return id }
        if text.utf8.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
            throw UsageError("\(text) is no id in the one spelling that the format allows", in: command)
        }
        return CanonicalID(text)
    }
}
