/// The help of the commands that show how a store came to be as it is.
extension CommandName {
    static let historyDetails = """
        Prints each version of a record, the oldest first, as far back as the files reach: its number, its
        time, and what changed in the value, member by member. Objects in objects are compared by their
        members, arrays as a whole.

          + /path: value          a member that was added
          - /path: value          a member that was removed
          ~ /path: was -> is      a member that changed

          --json   an object a version: id, seq, at, op, schema (when it is not 1), value (of a put),
                   changes: an array of path (JSON Pointer, "" for the whole value) and was, is

        examples:
          walstore history questions.wal q-001
          walstore history questions.wal q-001 --json | jq -r '.changes[].path'
        """

    static let tailDetails = """
        Prints the newest records, the last one last. With -f it goes on and prints new ones as they are
        written, synced or not, over compactions and restarts of the writer, until it is interrupted. When
        a restart cuts records that were shown, that is said on standard error.

          -n N     so many records; 10 when left out
          -f       go on
          --json   an object a record, as dump --json
          --raw    the lines byte for byte

        exit codes: those of all commands; 130 when it was interrupted

        examples:
          walstore tail questions.wal -n 3
          walstore tail questions.wal -f --json | jq -c '[.seq, .op, .id]'
        """

    static let statisticsDetails = """
        Counts the records of all files and their bytes. A record whose line stands in a log and in a
        snapshot counts once, its bytes twice. A torn tail does not count.

          --by id     by id, the most bytes first; 20 of them unless --top says more (the default)
          --by op     by operation: put, delete, mark
          --by hour   by the hour, in UTC, in which they were written
          --by size   by the length of their lines, in powers of two
          --top N     so many ids
          --json      an object a group: type "group"; id, op, hour (milliseconds since 1970) or upTo
                      (bytes); records, bytes. All ids unless --top is given. Then type "summary": by,
                      groups, records, bytes

        examples:
          walstore stats questions.wal
          walstore stats questions.wal --by hour --json | jq -c '[.hour, .records]'
        """

    static let differenceDetails = """
        Prints by id what was added, removed and changed between the state of A and that of B, or of A
        alone between two moments. What changed inside a value is shown as by history.

          --from SEQ|TIME   A as it was behind that record (digits) or at that time (all else)
          --to SEQ|TIME     B, or A if there is no B, as it was then; the present when left out
          --json            an object a record that differs: type ("added", "removed", "changed"), id,
                            fromSeq, toSeq, changes as in history; then type "summary": added, removed,
                            changed, same (counts)

        exit codes: the worse verdict on the two stores, whatever differs; 4 when the files do not reach
        back to the moment

        examples:
          walstore diff questions.wal backup.wal
          walstore diff questions.wal --from 1200 --to 2026-11-30T07:00:00Z
        """

    static let exportDetails = """
        Prints the values of the live records by id, as plain data.

          --at SEQ|TIME    as they were behind that record (digits) or at that time (all else)
          --format jsonl   a value a line (the default; --json is the same)
          --format json    one array
          --format csv     a row a record: the id, then a column a member of the values. Objects and
                           arrays in a cell are JSON; null is empty.

        Values do not hold the record's id unless they have it as a member. Where they do not, take
        walstore ls --values --json.

        examples:
          walstore export questions.wal --format json > questions.json
          walstore export questions.wal --at 2026-11-30T07:00:00Z | jq -r .title
        """

    static let reportDetails = """
        Writes one page that shows the store in a browser: its verdict and figures, each fault with its
        place, why and what helps, operations and bytes over time, a map of every file, the ids with the
        most bytes, and the history of each of these. The page loads nothing and runs no script; it is
        readable in light and dark and on a phone. It holds parts of the values: redact the store first
        to give it away.

          --html FILE   the page; FILE must not exist
          --id ID       the history of this id, too
          --json        one object: type "summary", html, bytes (of the page), verdict

        exit codes: the verdict on the store; 73 FILE exists, lies in STORE or cannot be made

        examples:
          walstore report questions.wal --html questions.html
          walstore report questions.wal --html questions.html --id q-001
        """

    static let completionsDetails = """
        Prints a script that makes a shell complete the commands and options of walstore.

        examples:
          walstore completions zsh > ~/.zfunc/_walstore
          source <(walstore completions bash)
          walstore completions fish > ~/.config/fish/completions/walstore.fish
        """

    static let manualDetails = """
        Prints the manual page, made from the same words as this help.

        examples:
          walstore man > ~/.local/share/man/man1/walstore.1
          walstore man | man -l -
        """
}
