import LogFormat

extension Fault {
    /// The kind of fault in two words, for people.
    var kind: String {
        switch (row, cause) {
        case (.newer, _): "newer format"
        case (.torn, _), (.gap, _), (.batch, _): "torn tail"
        case (_, .gap): "corruption (gap)"
        case (_, .missingLogs): "corruption (file missing)"
        case (.foreign, _): "corruption (foreign bytes)"
        default: "corruption"
        }
    }

    /// Where it stands.
    var place: String {
        line == 0 ? "\(file)" : "\(file): line \(line), offset \(offset), \(length.counted("byte"))"
    }

    /// The checksum that the line states.
    var statedChecksum: String? {
        if case .checksum(let stated, _) = invalidReason { Self.digits(stated) } else { nil }
    }

    /// The checksum that the line's bytes have.
    var computedChecksum: String? {
        if case .checksum(_, let computed) = invalidReason { Self.digits(computed) } else { nil }
    }

    private var invalidReason: InvalidBytes.Reason? {
        switch cause {
        case .bytes(let reason, _), .noHeader(.bytes(let reason, _)): reason
        default: nil
        }
    }

    private static func digits(_ checksum: UInt32) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    // MARK: Why

    /// What was found and why it is judged so, in plain sentences.
    var reason: String {
        let more =
            unlisted > 0 ? " \(unlisted) more faults up to byte \(offset + length) are not listed." : ""
        return "\(finding).\(judgement)\(more)"
    }

    private var finding: String {
        switch cause {
        case .noHeader(let line): "The first line is no header: \(line.description)"
        case .misfit(let misfit): misfit.description
        case .missingLogs(through: file.generation): "The log of generation \(file.generation) is missing"
        case .missingLogs(let last): "The logs of generations \(file.generation) to \(last) are missing"
        case .misshapen(let misshapen): misshapen.description
        case .number(let number): "Record \(number) stands where record \(expected) was expected"
        case .bytes(let reason, let look): "\(reason.description(look))\(lostNumbers)"
        case .gap(let number): "Here \(Self.range(expected, number.previous)) missing without a trace"
        case .openBatch(let first): "The file ends inside the batch that begins with record \(first)"
        case .noFooter: "The snapshot ends without its footer"
        case .footerCount(let stated, let found):
            "The footer counts \(stated) records, but there are \(found)"
        case .newerFormat(let format): "The file has format \(format); this version reads format 1"
        }
    }

    private var lostNumbers: String {
        // A snapshot's numbers have gaps, so nobody knows which of them there were.
        guard row.verdict == .corruption, file.kind == .log, let behind = firstNumberBehind, behind > expected
        else { return "" }
        return "; \(Self.range(expected, behind.previous)) lost"
    }

    private static func range(_ first: SequenceNumber, _ last: SequenceNumber) -> String {
        first == last ? "record \(first) is" : "records \(first) to \(last) are"
    }

    private var judgement: String {
        switch row {
        case .header, .newer: ""
        case .order: " No crash leaves that."
        case .sealed: " All of this file was synced before the next was made, so no crash explains it."
        case .covered: " A later line says that what stood there was on stable storage."
        case .foreign: " The records before and behind follow each other, so these bytes do not belong."
        case .gap, .torn, .batch: " A crash cut the append short before it was known to be synced."
        }
    }

    // MARK: What to do

    /// `store` is the path that the reader knows it by: a command can be taken over as it stands.
    func remedyText(_ store: String) -> String {
        switch remedy {
        case .open(let cut, isBlank: true):
            "Open the store with its program, as ever: that cuts the file at byte \(cut). The \(length) bytes cut "
                + "hold nothing."
        case .open(let cut, isBlank: false):
            "Open the store with its program, as ever: that moves the last \(length) bytes to quarantine/ and cuts the file at byte "
                + "\(cut). No record known to be synced is lost."
        case .rebuild(let generation):
            "Open the store with its program, as ever: that keeps a copy in quarantine/ and rebuilds the snapshot from generation "
                + "\(generation), which is sound."
        case .unneeded:
            "The store opens without this file; a later compaction removes it."
        case .restoreOrRepair:
            "Leave the store as it is and restore a copy, or save what is sound into a new store: "
                + "walstore repair \(ShellWord(store)) --out \(ShellWord(store + ".saved"))"
        case .repeatImport:
            "If an import was cut short here, open the store again with the imported file in its place. "
                + "Otherwise restore a copy."
        case .newerTool:
            "Use the version of WALStore that wrote it, or a later one."
        }
    }
}

extension FirstLine {
    fileprivate var description: String {
        switch self {
        case .nothing: "the file holds no line"
        case .record: "it is a record"
        case .footer: "it is a footer"
        case .misshapen: "its checksum holds, but it has no known shape"
        case .bytes(let reason, let look): reason.description(look).lowercasedFirst
        }
    }
}

extension HeaderMisfit {
    fileprivate var description: String {
        switch self {
        case .kind(let kind): "The header is that of a \(kind.rawValue), against the file's name"
        case .generation(let generation): "The header says generation \(generation), against the file's name"
        case .store(let found, let others):
            "The header names the store \(found), the other files the store \(others)"
        case .behindLog(let found, let expected):
            "The header begins with record \(found), but the log before ends so that \(expected) comes next"
        case .beforeLog(let begins, let expected):
            "The log ends so that record \(expected) comes next, but the log behind it begins with \(begins)"
        case .behindSnapshot(let found, let expected):
            "The header begins with record \(found), but the snapshot is followed by record \(expected)"
        case .withoutSnapshot(let found):
            "The first log begins with record \(found), and there is no snapshot of what was before"
        }
    }
}

extension Misshapen {
    fileprivate var description: String {
        switch self {
        case .unknown: "The line's checksum holds, but it has no known shape"
        case .newerFormat(let format): "A header of format \(format) stands inside the file"
        case .secondHeader: "A second header stands inside the file"
        case .footerInLog: "A footer stands in a log"
        case .secondFooter: "A second footer stands in the snapshot"
        case .recordBehindFooter: "A record stands behind the snapshot's footer"
        case .markInSnapshot: "A mark stands in a snapshot"
        case .synced(let synced, let number):
            "Record \(number) says that record \(synced) was synced, which was not written yet"
        case .numberInSnapshot(let number, let first):
            "Record \(number) stands in a snapshot of what was before record \(first)"
        }
    }
}

extension InvalidBytes.Reason {
    fileprivate func description(_ look: DamagedBytes) -> String {
        switch (look, self) {
        case (.blank, _): "There are NULs instead of a line"
        case (.carriageReturn, .checksum): "The line ends in CR LF: its line ending was converted"
        case (_, .frame): "The bytes do not begin like a line"
        case (_, .checksum): "The line's checksum does not hold"
        case (_, .shape): "The line has no known shape"
        case (_, .newerFormat(let format)): "The line is of format \(format)"
        case (_, .lineEnd): "The file ends inside a line"
        case (_, .length): "There is no line end within the longest line that is read"
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
