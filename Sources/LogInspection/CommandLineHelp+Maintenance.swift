/// The help of the commands that maintain a store.
extension CommandName {
    static let compactDetails = """
        Opens the store as its program would: takes its lock, recovers it, merges its files into a new
        snapshot, removes what is not needed any longer, and closes it. The generation before stays until
        the next compaction, so two generations take space. A torn tail that opening cut is reported on
        standard error and kept in the store's quarantine. A damaged store is left as it is.

          --json   one object: type "summary", compacted (false: there was nothing to do), generation,
                   records (the live ones), stateBytes (of the files that the state is read from),
                   bytesBefore, bytesAfter (of all logs and snapshots), cutBytes

        exit codes: 0 done, or nothing to do; 2 damaged; 3; 66; 74; 75 open elsewhere

        examples:
          walstore compact questions.wal
          walstore compact questions.wal --json | jq .bytesAfter
        """

    static let importDetails = """
        Puts the items of FILE into STORE, which is made when it is not there; an item whose id is live
        takes its place. FILE holds one JSON array of objects, or objects one behind the other, as in
        JSON Lines, and may be larger than memory. Items are appended in batches of up to 1000, each synced
        before the next. Of an import that ends with an error, the batches before stay; to import the file
        again does no harm.

          --id-key K   the member of each object that is its id: a string or a whole number; "id" when
                       left out
          --json       one object: type "summary", created (there was no store), imported (how many
                       items), lastSeq

        exit codes: 0 done; 2 damaged store; 3; 65 FILE is not such data; 66 there is no FILE; 73 STORE is
        something else, or cannot be made; 74; 75 open elsewhere; 130 interrupted

        examples:
          walstore import questions.wal questions.json
          walstore import people.wal people.jsonl --id-key email
        """

    static let redactDetails = """
        Copies the files of STORE to DIR, which must not exist or be empty, without their contents: every
        value becomes a string of x's as long as it was, every id another one as long as it was, the same
        id always the same. What is damaged is overwritten too, but for line ends, NULs and numbers.
        Framing, lengths, record numbers, times and the store's UUID are kept; checksums that held hold,
        and those that did not do not. The copy is read back: verify finds the same faults in the same
        places. quarantine/ is left out.

          --out DIR   where the copy goes
          --json      one object: type "summary", out, verdict, files, bytes, records, ids (counts)

        exit codes: 0 copied, whatever the verdict; 66; 73 DIR is taken, lies in STORE or cannot be made;
        74; 130 interrupted, and what was copied is removed

        examples:
          walstore redact questions.wal --out redacted.wal
          tar czf report.tgz redacted.wal
        """

    static let repairDetails = """
        Writes every sound record of a damaged store into a new store in DIR, which must not exist or be
        empty, and reads that back. STORE stays byte for byte as it is; its lock, if it has a lock file, is
        held meanwhile. Records keep their numbers; the new store has a UUID of its own. Printed is all
        that is lost. A batch with a missing member is left out whole. A record that only shows inside a
        damaged line is listed and not kept, since a value may look like one.

          --out DIR   where the new store goes
          --dry-run   write nothing and say the same
          --json      an object a finding, by type:
                      fault: file, line, offset, length, reason, and seq, id where the bytes still
                             show them (not to be trusted)
                      missing: from, to (numbers that no sound record has, bounds included)
                      leftOut: file, offset, seq, id, reason (brokenBatch, outOfOrder, misplaced,
                               insideDamagedLine, tornTail)
                      summary, last: out, written, complete (nothing is lost), liveRecords,
                               soundRecords, faults, missing, leftOut (counts), unlisted (findings
                               beyond 100,000 a kind), lostFromSnapshot, generation, nextSeq, store

        exit codes: 0 written, or could be, whatever is lost; 3; 66; 73 DIR is taken, lies in STORE or
        cannot be made; 74; 75 someone has STORE open

        examples:
          walstore repair questions.wal --out saved.wal --dry-run
          walstore repair questions.wal --out saved.wal --json | jq 'select(.type == "missing")'
        """

    static let quarantineListDetails = """
        Prints what recovery cut from the store's files and kept: its name, how many bytes, when, and why.

          --json   an object each: name, file, offset, length (bytes that are there), time, reason; and
                   problem where the bytes or their note are missing or do not fit each other

        examples:
          walstore quarantine list questions.wal
          walstore quarantine list questions.wal --json | jq -r .name
        """

    static let quarantineShowDetails = """
        Prints the note of quarantined bytes and then the bytes, line by line as far as they are lines.
        NAME is one that quarantine list prints.

          --raw    the bytes as they are
          --json   an object each, by type:
                   note, first: as in quarantine list --json
                   record: offset, seq, at, op, id, value, and more, schema, insideDamagedLine where so
                   damage: offset, length, reason, and seq, id where the bytes still show them
                   header, footer: offset, length
                   offset counts from the start of the quarantined bytes

        examples:
          walstore quarantine show questions.wal log-0000000001.jsonl.362.1
          walstore quarantine show questions.wal log-0000000001.jsonl.362.1 --raw > tail.jsonl
        """

    static let quarantineRestoreDetails = """
        Appends the sound records among quarantined bytes of a log to the store, as one batch with new
        numbers: puts with their values and schema, deletes as deletes. Opens the store as its program
        would. A record whose id was written again since the bytes were cut is skipped and listed.
        Damaged lines bring nothing and are listed. The quarantined bytes stay. Bytes of a snapshot are
        refused: an older state may not overwrite a newer one.

          --overwrite   records of ids that were written again since, too
          --dry-run     write nothing and say the same
          --json        an object each, by type:
                        restored: seq, newSeq, op, id, and incompleteBatch where its batch was cut short
                        skipped: seq, op, id, reason (writtenSince, insideDamagedLine), liveSeq
                        damage: offset, length, reason, and seq, id where the bytes still show them
                        summary, last: name, written, restored, skipped, damaged (counts), lastSeq

        exit codes: 0 done, or all was skipped; 2 damaged store; 3; 4 no such name, or no sound record
        in it; 64 bytes of a snapshot; 66; 74; 75

        examples:
          walstore quarantine restore questions.wal log-0000000001.jsonl.362.1 --dry-run
          walstore quarantine restore questions.wal log-0000000001.jsonl.362.1
        """
}
