import LogFormat
import LogInspection
import Testing

struct ParserTests {
    private func parse(_ arguments: String...) throws(UsageError) -> Command {
        try CommandParser.parse(arguments)
    }

    private func refusal(_ arguments: String...) -> String {
        do throws(UsageError) {
            return "accepted: \(try CommandParser.parse(arguments))"
        } catch {
            return error.message
        }
    }

    @Test func everyCommandIsParsed() throws {
        #expect(try parse("info", "s") == .info(store: "s", json: false))
        #expect(try parse("verify", "s/", "--json") == .verify(store: "s", json: true))
        #expect(try parse("verify", "--json", "/") == .verify(store: "/", json: true))
        #expect(try parse("ls", "s") == .list(store: "s", moment: nil, values: false, json: false))
        #expect(
            try parse("ls", "--values", "s", "--at", "7", "--json")
                == .list(store: "s", moment: .sequenceNumber(SequenceNumber(7)), values: true, json: true)
        )
        #expect(
            try parse("get", "s", "q-001")
                == .get(store: "s", id: CanonicalID("q-001"), moment: nil, json: false)
        )
        #expect(try parse("demo") == .demo(directory: nil))
        #expect(try parse("demo", "d") == .demo(directory: "d"))
        #expect(try parse("--version") == .version)
        #expect(try parse("dump", "s") == .dump(store: "s", selection: RecordSelection(), form: .table))
    }

    @Test func theCommandsThatShowHowAStoreCameToBeAreParsed() throws {
        #expect(try parse("history", "s", "7") == .history(store: "s", id: CanonicalID(7), json: false))
        #expect(try parse("tail", "s") == .tail(store: "s", count: 10, follows: false, form: .table))
        #expect(
            try parse("tail", "-f", "-n", "3", "s", "--json")
                == .tail(store: "s", count: 3, follows: true, form: .json)
        )
        #expect(try parse("stats", "s") == .statistics(store: "s", key: .id, top: nil, json: false))
        #expect(
            try parse("stats", "s", "--by", "hour", "--json")
                == .statistics(store: "s", key: .hour, top: nil, json: true)
        )
        #expect(refusal("tail", "s", "-n", "-1") == "-n needs a number, not -1")
        #expect(refusal("stats", "s", "--by", "day") == "--by needs id, op, hour or size, not day")
        #expect(refusal("stats", "s", "--by", "op", "--top", "3") == "--top is for ids")
        #expect(refusal("history", "s") == "history needs ID")
    }

    @Test func everySelectionOfDumpIsParsed() throws {
        var selection = RecordSelection()
        selection.from = SequenceNumber(2)
        selection.to = SequenceNumber(9)
        selection.since = 1_796_022_000_000
        selection.until = 1_796_022_000_500
        selection.id = CanonicalID(42)
        selection.operation = .delete
        let command = try parse(
            "dump",
            "s",
            "--from",
            "2",
            "--to=9",
            "--since",
            "2026-11-30T07:00:00Z",
            "--until=2026-11-30T08:00:00.5+01:00",
            "--id",
            "42",
            "--op",
            "delete",
            "--raw"
        )
        #expect(command == .dump(store: "s", selection: selection, form: .raw))
    }

    @Test func anIDIsWhatTheFileSpellsAndElseAString() throws {
        let cases: [(String, CanonicalID)] = [
            ("42", CanonicalID(42)), ("-7", CanonicalID(-7)), ("\"42\"", CanonicalID("42")),
            ("007", CanonicalID("007")), ("-0", CanonicalID("-0")), ("q-001", CanonicalID("q-001")),
            ("\"", CanonicalID("\"")), ("4.2", CanonicalID("4.2")), ("é", CanonicalID("é")),
        ]
        for (argument, id) in cases {
            #expect(try parse("get", "s", argument) == .get(store: "s", id: id, moment: nil, json: false))
        }
        #expect(
            try parse("get", "s", "--", "--at")
                == .get(store: "s", id: CanonicalID("--at"), moment: nil, json: false)
        )
        #expect(
            refusal("get", "s", "\"a\\/b\"")
                == "\"a\\/b\" is no id in the one spelling that the format allows"
        )
    }

    @Test func digitsAreANumberAndAllElseIsATime() throws {
        let cases: [(String, Moment)] = [
            ("0", .sequenceNumber(.zero)), ("1200", .sequenceNumber(SequenceNumber(1200))),
            ("2026-11-30", .time(1_795_996_800_000)), ("2026-11-30T07:00Z", .time(1_796_022_000_000)),
            ("1969-12-31T23:59:59.999Z", .time(-1)),
            ("2024-02-29T00:00:00.123456Z", .time(1_709_164_800_123)),
        ]
        for (argument, moment) in cases {
            #expect(
                try parse("ls", "s", "--at", argument)
                    == .list(store: "s", moment: moment, values: false, json: false)
            )
        }
    }

    @Test(arguments: [
        "2026-11-31", "2026-13-01", "2025-02-29", "2026-11-30T07:00:00", "2026-11-30T24:00:00Z", "now", "",
        "12:00",
        "2026-11-30T07:00:00Zx", "2026-11-30T07:00:00.Z", "2026-11-30T07:60Z", "2026-11-30T07:00:00+0x:00",
    ])
    func whatIsNoTimeIsRefused(_ time: String) {
        #expect(refusal("ls", "s", "--at", time).hasPrefix("--at needs a"))
    }

    @Test func whatNeedsNoFileToBeRefusedIsRefused() {
        let cases: [([String], String)] = [
            ([], "No command is given"),
            (["frob"], "There is no command frob"),
            (["help", "frob"], "There is no command frob"),
            (["verify"], "verify needs STORE"),
            (["verify", ""], "STORE is empty"),
            (["verify", "a", "b"], "verify cannot take b as well"),
            (["verify", "a", "--raw"], "verify has no option --raw"),
            (["verify", "a", "--json=1"], "--json takes no value"),
            (["verify", "a", "--json", "--json"], "--json is given twice"),
            (["get", "a"], "get needs ID"),
            (["get", "a", "b", "--at"], "--at needs a value"),
            (["ls", "a", "--at", "9007199254740992"], "--at needs a sequence number, not 9007199254740992"),
            (["dump", "a", "--json", "--raw"], "--json and --raw exclude each other"),
            (["dump", "a", "--from", "x"], "--from needs a sequence number, not x"),
            (["dump", "a", "--from", "+1"], "--from needs a sequence number, not +1"),
            (["dump", "a", "--from", "3", "--to", "2"], "--from 3 lies behind --to 2"),
            (["dump", "a", "--since", "2026-11-30", "--until", "2026-11-29"], "--since lies behind --until"),
            (["dump", "a", "--op", "patch"], "--op needs put, delete or mark, not patch"),
            (["demo", "a", "b"], "demo cannot take b as well"),
            (["compact", "a", "--out", "b"], "compact has no option --out"),
            (["repair", "a"], "repair needs --out DIR"),
            (["repair", "a", "--out="], "The DIR of --out is empty"),
            (["repair", "a", "--out", "a/"], "--out a/ is STORE or lies in it, and STORE stays as it is"),
            (["repair", "./a//", "--out", "x/../a/b"], "--out x/../a/b is STORE or lies in it"),
            (["repair", "/", "--out", "/a"], "--out /a is STORE or lies in it"),
            (["repair", ".", "--out", "a"], "--out a is STORE or lies in it"),
            (["quarantine"], "quarantine needs list, show or restore"),
            (["quarantine", "frob", "a"], "There is no command quarantine frob"),
            (["help", "quarantine"], "There is no command quarantine"),
            (["quarantine", "list", "a", "b"], "quarantine list cannot take b as well"),
            (["quarantine", "show", "a"], "quarantine show needs NAME"),
            (["quarantine", "show", "a", "../b"], "../b is no name that quarantine list prints, but a path"),
            (["quarantine", "show", "a", ".."], ".. is no name that quarantine list prints, but a path"),
            (["quarantine", "show", "a", "b", "--raw", "--json"], "--json and --raw exclude each other"),
            (["quarantine", "restore", "a", "snapshot-1"], "snapshot-1 was a snapshot, and an older state"),
        ]
        for (arguments, message) in cases {
            let result = Tool().run(arguments)
            #expect(result.code == 64, "\(arguments)")
            #expect(result.output.isEmpty)
            #expect(result.diagnostics.hasPrefix("walstore: \(message)"), "\(result.diagnostics)")
            #expect(result.diagnostics.contains("See walstore "))
        }
    }

    @Test func everyCommandThatMaintainsAStoreIsParsed() throws {
        #expect(try parse("compact", "s/", "--json") == .compact(store: "s", json: true))
        #expect(
            try parse("repair", "s", "--out", "t/", "--dry-run")
                == .repair(store: "s", out: "t", dryRun: true, json: false)
        )
        // Neither lies in the other, as far as the text tells.
        for (store, out) in [("s", "s2"), ("a/s", "a"), (".", "../t"), (".", "/t"), ("/", "t"), ("..", "t")] {
            #expect(
                try parse("repair", store, "--out", out)
                    == .repair(store: store, out: out, dryRun: false, json: false)
            )
        }
        #expect(try parse("quarantine", "list", "s") == .quarantineList(store: "s", json: false))
        for name in ["b", "b.bytes", "b.json"] {
            #expect(
                try parse("quarantine", "show", "s", name, "--raw")
                    == .quarantineShow(store: "s", name: "b", form: .raw)
            )
        }
        #expect(
            try parse("quarantine", "restore", "s", "b", "--overwrite", "--json")
                == .quarantineRestore(store: "s", name: "b", overwrite: true, dryRun: false, json: true)
        )
        #expect(try parse("quarantine", "--help") == .help(nil))
        #expect(try parse("quarantine", "show", "--help") == .help(.quarantineShow))
        #expect(try parse("help", "quarantine", "show") == .help(.quarantineShow))
    }

    @Test func helpIsThereForEveryCommandWithExamples() throws {
        #expect(try parse("--help") == .help(nil))
        #expect(try parse("help") == .help(nil))
        let general = Tool()("--help")
        #expect(general.code == 0)
        for name in CommandName.allCases {
            let word = name.rawValue
            #expect(try parse("help", word) == .help(name))
            #expect(try parse(word, "--help") == .help(name))
            #expect(try parse(word, "s", "--frob", "-h") == .help(name))
            #expect(general.output.contains("  \(word)"))
            let help = Tool()(word, "--help")
            #expect(help.code == 0)
            #expect(help.output.hasPrefix("usage: walstore \(word)"))
            #expect(help.output.contains("examples:\n  walstore \(word)"))
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
        for code in ["0", "1", "2", "3", "4", "64", "65", "66", "73", "74", "75", "130"] {
            #expect(general.output.contains(" \(code)  "), "exit code \(code)")
        }
        #expect(Tool()("--version").output == "walstore 1.0.0, format 1\n")
    }
}
