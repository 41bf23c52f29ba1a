/// Which words may follow a command.
struct CommandGrammar {
    /// The names of the operands, in order.
    var operands: [String]
    /// How many of them may be left out, from the last on.
    var optionalOperands = 0
    /// Options without a value.
    var flags: Set<String> = []
    /// Options with a value.
    var options: Set<String> = []
}

extension CommandName {
    var grammar: CommandGrammar {
        switch self {
        case .info, .verify:
            CommandGrammar(operands: ["STORE"], flags: ["--json"])
        case .dump:
            CommandGrammar(
                operands: ["STORE"],
                flags: ["--json", "--raw"],
                options: ["--from", "--to", "--since", "--until", "--id", "--op"]
            )
        case .get:
            CommandGrammar(operands: ["STORE", "ID"], flags: ["--json"], options: ["--at"])
        case .list:
            CommandGrammar(operands: ["STORE"], flags: ["--json", "--values"], options: ["--at"])
        case .history:
            CommandGrammar(operands: ["STORE", "ID"], flags: ["--json"])
        case .tail:
            CommandGrammar(operands: ["STORE"], flags: ["-f", "--json", "--raw"], options: ["-n"])
        case .statistics:
            CommandGrammar(operands: ["STORE"], flags: ["--json"], options: ["--by", "--top"])
        case .difference:
            CommandGrammar(
                operands: ["A", "B"],
                optionalOperands: 1,
                flags: ["--json"],
                options: ["--from", "--to"]
            )
        case .export:
            CommandGrammar(operands: ["STORE"], flags: ["--json"], options: ["--at", "--format"])
        case .compact, .quarantineList:
            CommandGrammar(operands: ["STORE"], flags: ["--json"])
        case .import:
            CommandGrammar(operands: ["STORE", "FILE"], flags: ["--json"], options: ["--id-key"])
        case .report:
            CommandGrammar(operands: ["STORE"], flags: ["--json"], options: ["--html", "--id"])
        case .completions:
            CommandGrammar(operands: ["SHELL"])
        case .manual:
            CommandGrammar(operands: [])
        case .redact:
            CommandGrammar(operands: ["STORE"], flags: ["--json"], options: ["--out"])
        case .repair:
            CommandGrammar(operands: ["STORE"], flags: ["--dry-run", "--json"], options: ["--out"])
        case .quarantineShow:
            CommandGrammar(operands: ["STORE", "NAME"], flags: ["--raw", "--json"])
        case .quarantineRestore:
            CommandGrammar(
                operands: ["STORE", "NAME"],
                flags: ["--dry-run", "--overwrite", "--json"]
            )
        case .demo:
            CommandGrammar(operands: ["DIR"], optionalOperands: 1)
        }
    }
}

/// A command's words, sorted by what they are.
struct CommandWords {
    let command: CommandName
    private(set) var operands: [String] = []
    private(set) var flags: Set<String> = []
    private(set) var options: [String: String] = [:]
    /// `--help` stands somewhere: it goes before every complaint.
    private(set) var wantsHelp = false

    init(_ arguments: ArraySlice<String>, for command: CommandName) throws(UsageError) {
        self.command = command
        let grammar = command.grammar
        wantsHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        if wantsHelp { return }

        var rest = arguments
        var takesOptions = true
        while let word = rest.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, Self.isOption(word) {
                try take(option: word, &rest, grammar)
            } else {
                operands.append(word)
            }
        }
        try checkOperands(grammar)
    }

    /// An id such as -7 is no option.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().utf8.first else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    private mutating func take(
        option word: String,
        _ rest: inout ArraySlice<String>,
        _ grammar: CommandGrammar
    )
        throws(UsageError)
    {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        let name = parts[0]
        guard !flags.contains(name), options[name] == nil else {
            throw UsageError("\(name) is given twice", in: command)
        }
        if grammar.flags.contains(name) {
            guard parts.count == 1 else { throw UsageError("\(name) takes no value", in: command) }
            flags.insert(name)
        } else if grammar.options.contains(name) {
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw UsageError("\(name) needs a value", in: command)
            }
            options[name] = value
        } else {
            throw UsageError("\(command.rawValue) has no option \(name)", in: command)
        }
    }

    private func checkOperands(_ grammar: CommandGrammar) throws(UsageError) {
        let missing = grammar.operands.dropLast(grammar.optionalOperands).dropFirst(operands.count)
        if let name = missing.first {
            throw UsageError("\(command.rawValue) needs \(name)", in: command)
        }
        if let extra = operands.dropFirst(grammar.operands.count).first {
            throw UsageError("\(command.rawValue) cannot take \(extra) as well", in: command)
        }
        guard !operands.contains("") else {
            throw UsageError("\(grammar.operands[operands.firstIndex(of: "") ?? 0]) is empty", in: command)
        }
    }
}
