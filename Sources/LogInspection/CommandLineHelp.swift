/// The words of `--help`.
package enum CommandLineHelp {
    /// Of the format and of the tool; they change together.
    package static let version = "walstore 1.0.0, format 1"

    package static func text(_ topic: CommandName?) -> String {
        guard let topic else { return general }
        return """
            usage: walstore \(topic.usage)

            \(topic.details)
            """
    }

    private static var general: String {
        let width = CommandName.allCases.map(\.rawValue.count).max() ?? 0
        let commands = CommandName.allCases.map { name in
            let word = name.rawValue + String(repeating: " ", count: width - name.rawValue.count)
            return "  \(word)  \(name.summary)"
        }
        return """
            usage: walstore COMMAND STORE [options]

            \(introduction)

            commands:
            \(commands.joined(separator: "\n"))

              walstore COMMAND --help   the command in detail, with examples
              walstore --version        the version

            \(words)

            exit codes:
            \(exitCodes)

            \(verdicts)
            """
    }

    static let introduction = """
        Looks into a store of WALStore: a directory of logs and snapshots. Takes no lock, runs beside
        a live writer, reads on past damage, and changes nothing unless the command says "writes".
        """

    static let words = """
        An ID is given as it stands in the file ('"q-001"', 42) or, if it is a string and not all
        digits, without its quotes (q-001). A TIME is ISO 8601: 2026-11-30T07:00:00Z.
        """

    static let exitCodes = """
          0  sound, or done       65  the file to import is unfit
          1  torn tail            66  there is no store
          2  corruption           73  output exists or cannot be made
          3  newer format         74  the system refused to read or write
          4  not found            75  the store is in use
         64  no such command     130  interrupted
        """

    static let verdicts = """
        A torn tail is an append that a crash cut short: no record known to be synced is lost.
        Corruption is damage that no crash explains.
        """
}

extension CommandName {
    var summary: String {
        switch self {
        case .info: "files, numbers, live and dead bytes, the largest records"
        case .verify: "checks every line of every file and says what is wrong and what helps"
        case .dump: "the records in the order of the files"
        case .get: "the value of one record, now or then"
        case .list: "the live records by id, now or then"
        case .history: "each version of a record, and what changed in it"
        case .tail: "the newest records, and new ones as they come"
        case .statistics: "which ids, operations, hours or sizes take how many bytes"
        case .difference: "what differs between two stores, or in one between two moments"
        case .export: "the live values as JSON, JSON Lines or CSV, now or then"
        case .compact: "merges a store that no one has open into a new snapshot; writes"
        case .import: "puts the items of a JSON file into a store, or makes one; writes"
        case .report: "one page to look at in a browser; writes the page"
        case .redact: "copies a store without its contents, for a bug report; writes the copy"
        case .repair: "saves what is sound of a damaged store into a new one; writes the new one"
        case .quarantineList: "the bytes that recovery cut and kept"
        case .quarantineShow: "quarantined bytes, record by record as far as they are records"
        case .quarantineRestore: "appends quarantined records to the store as new ones; writes"
        case .completions: "a script that completes commands and options in a shell"
        case .manual: "the manual page, for man"
        case .demo: "makes a store, kills its writer, recovers, and shows each step; writes"
        }
    }

    var usage: String {
        switch self {
        case .info: "info STORE [--json]"
        case .verify: "verify STORE [--json]"
        case .dump:
            """
            dump STORE [--from SEQ] [--to SEQ] [--since TIME] [--until TIME]
                                [--id ID] [--op put|delete|mark] [--json | --raw]
            """
        case .get: "get STORE ID [--at SEQ|TIME] [--json]"
        case .list: "ls STORE [--at SEQ|TIME] [--values] [--json]"
        case .history: "history STORE ID [--json]"
        case .tail: "tail STORE [-f] [-n N] [--json | --raw]"
        case .statistics: "stats STORE [--by id|op|hour|size] [--top N] [--json]"
        case .difference: "diff A [B] [--from SEQ|TIME] [--to SEQ|TIME] [--json]"
        case .export: "export STORE [--at SEQ|TIME] [--format json|jsonl|csv]"
        case .compact: "compact STORE [--json]"
        case .import: "import STORE FILE [--id-key K] [--json]"
        case .report: "report STORE --html FILE [--id ID] [--json]"
        case .completions: "completions bash|zsh|fish"
        case .manual: "man"
        case .redact: "redact STORE --out DIR [--json]"
        case .repair: "repair STORE --out DIR [--dry-run] [--json]"
        case .quarantineList: "quarantine list STORE [--json]"
        case .quarantineShow: "quarantine show STORE NAME [--raw | --json]"
        case .quarantineRestore: "quarantine restore STORE NAME [--overwrite] [--dry-run] [--json]"
        case .demo: "demo [DIR]"
        }
    }

    var details: String {
        switch self {
        case .info: Self.infoDetails
        case .verify: Self.verifyDetails
        case .dump: Self.dumpDetails
        case .get: Self.getDetails
        case .list: Self.listDetails
        case .history: Self.historyDetails
        case .tail: Self.tailDetails
        case .statistics: Self.statisticsDetails
        case .difference: Self.differenceDetails
        case .export: Self.exportDetails
        case .compact: Self.compactDetails
        case .import: Self.importDetails
        case .report: Self.reportDetails
        case .completions: Self.completionsDetails
        case .manual: Self.manualDetails
        case .redact: Self.redactDetails
        case .repair: Self.repairDetails
        case .quarantineList: Self.quarantineListDetails
        case .quarantineShow: Self.quarantineShowDetails
        case .quarantineRestore: Self.quarantineRestoreDetails
        case .demo: Self.demoDetails
        }
    }

    private static let infoDetails = """
        Prints the store's files, its range of sequence numbers, how far it is known to be synced, and
        which records and ids take the most bytes. In a terminal, with bars.

          --json   one object: store, generation, firstSeq, lastSeq, liveRecords, liveBytes,
                   totalBytes, files (an array), synced, lastAt, verdict

        examples:
          walstore info questions.wal
          walstore info questions.wal --json | jq .liveBytes
        """

    private static let verifyDetails = """
        Reads every line of every file, those that opening would not read too, and judges them by the
        pages of the format alone. For each fault: file, line, offset, length, checksums, verdict, why,
        and what helps. Memory does not grow with the store.

          --json   a line a fault: type "fault", file, line, offset, length, verdict, reason, expected,
                   found, remedy; then type "summary": verdict, records, lastSeq, files.
                   expected is the checksum that the line states, found the one of its bytes;
                   records counts the valid records of all files.

        examples:
          walstore verify questions.wal
          walstore verify questions.wal --json | jq -r 'select(.type == "fault") | .remedy'
        """

    private static let dumpDetails = """
        Prints records as they stand in the files, one after the other, snapshots before their logs.
        A plus behind the operation: the next record belongs to the same batch. What stands in a torn
        tail is printed and marked; it does not count.

          --from SEQ, --to SEQ        only these sequence numbers, bounds included
          --since TIME, --until TIME  only these times, bounds included
          --id ID                     only this id
          --op put|delete|mark        only this operation
          --json                      an object a record: file, line, offset, seq, at, op, id, value,
                                      and synced, more, schema where the line has them
          --raw                       the lines byte for byte

        examples:
          walstore dump questions.wal --since 2026-11-30T07:00:00Z --op delete
          walstore dump questions.wal --id q-001 --raw
        """

    private static let getDetails = """
        Prints the value of a record, or says on standard error that there is none (exit code 4).

          --at SEQ|TIME   as it was behind that record (digits) or at that time (all else)
          --json          an object: id, seq, at, value

        examples:
          walstore get questions.wal q-001
          walstore get questions.wal '"42"' --at 2026-11-30T07:00:00Z
        """

    private static let listDetails = """
        Prints the live records by id: number, time, bytes of the value.

          --at SEQ|TIME   as they were behind that record (digits) or at that time (all else)
          --values        the values too
          --json          an object a record: id, seq, at, bytes, and value with --values

        examples:
          walstore ls questions.wal
          walstore ls questions.wal --at 1200 --values --json
        """

    private static let demoDetails = """
        Makes a store in DIR, or in a temporary directory, writes while a child process is killed at
        random, recovers, and shows every step.

        examples:
          walstore demo
          walstore demo /tmp/demo
        """
}
