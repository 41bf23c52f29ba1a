import LogFormat

/// A file to merge, and the number of the record after its last.
struct MergeSource {
    var file: StorePlan.File
    var end: SequenceNumber
}

/// Whether all records of a source are there: a log's without a gap, a snapshot's as its footer counts.
struct MergeSourceCheck {
    private let source: MergeSource
    private var next: SequenceNumber
    private var records: UInt64 = 0
    private var footer: SnapshotFooter?

    init(_ source: MergeSource) {
        self.source = source
        next = source.file.kind == .log ? source.file.firstSequenceNumber : .first
    }

    /// What is wrong with a line, or nil.
    mutating func fault(_ line: ScannedLine) -> String? {
        switch line {
        case .header, .padding: return nil
        case .footer(let found, _):
            footer = found
            return nil
        case .invalid(let bytes, _): return bytes.reason.description
        case .record(let record, _):
            let number = record.sequenceNumber
            let fits = source.file.kind == .log ? number == next : number >= next && number < source.end
            guard fits else { return "record \(number) stands where \(next) is expected" }
            next = number.next
            records += 1
            return nil
        }
    }

    /// What is wrong once all lines were seen, or nil.
    var faultAtEnd: String? {
        switch source.file.kind {
        case .log where next != source.end:
            "the file ends before record \(next), but the files behind it begin with \(source.end)"
        case .snapshot where footer?.records != records:
            "the footer does not count the \(records) records before it"
        case .log, .snapshot: nil
        }
    }
}

/// How far a pass over all logs has come that does not read every line.
struct LogPass {
    /// Where each source begins when the logs stand one behind the other.
    private var starts: [UInt64] = []
    private var length: UInt64 = 0
    private var reached: UInt64 = 0

    init(_ files: [MergeSource]) {
        for source in files {
            starts.append(length)
            if source.file.kind == .log { length += source.file.length }
        }
    }

    /// The bytes from the place before to the end of a line.
    mutating func reach(_ location: LiveIndex.Location) -> UInt64 {
        let end = starts[Int(location.file)] + location.lineOffset + UInt64(location.lineLength)
        defer { reached = end }
        return end - reached
    }

    /// The bytes behind the last place.
    var rest: UInt64 { length - reached }
}
