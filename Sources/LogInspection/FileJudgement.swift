import LogFormat

/// What the reading of one file found.
struct FileJudgement: Sendable {
    let file: OpenedFile
    let header: FileHeader?
    let headerPlace: LinePlace?
    /// The records that count.
    let records: UInt64
    /// The number behind the last record that counts, or nil when the file says none.
    let next: SequenceNumber?
    /// Where the file is cut at the next opening, or its end.
    let end: UInt64
    /// The highest `synced` said.
    let synced: SequenceNumber?
    /// The highest `at` of a record.
    let time: Int64?
    /// Where the torn tail begins, if there is one.
    let tornFrom: UInt64?
    var faults: [Fault] = []
    /// Where a second look begins: before the first fault.
    let stateBeforeFaults: FileJudge.State?
    /// Of all invalid bytes.
    let fingerprint: UInt32

    var name: StoreFileName { file.name }
    var isSound: Bool { faults.isEmpty }

    /// Decides every observation, in order. The first that is a torn tail takes the rest of the file
    /// with it: whatever stands there goes when it is cut.
    init(_ file: OpenedFile, _ judge: consuming FileJudge) {
        let state = judge.state
        var torn: Observation?
        for seen in judge.observations.list {
            let row = Row(seen, mayBeTorn: judge.mayBeTorn)
            if row.verdict == .tornTail {
                torn = seen
                faults.append(Fault(tornTail: seen, row, in: file))
                break
            }
            faults.append(Fault(seen, row, in: file.name))
        }
        self.file = file
        header = state.header
        headerPlace = state.headerPlace
        records = torn?.records ?? state.records
        next = state.isNumbered ? torn?.next ?? state.next : nil
        tornFrom = torn?.cut.offset
        end = tornFrom ?? (faults.isEmpty ? state.lineEnd.offset : file.length)
        synced = state.synced
        time = state.time
        stateBeforeFaults = judge.observations.stateBefore
        fingerprint = judge.observations.fingerprint.value
    }
}

extension Fault {
    init(_ seen: Observation, _ row: Row, in file: StoreFileName) {
        self.init(
            file: file,
            line: seen.line,
            offset: seen.range.lowerBound,
            length: seen.range.upperBound - seen.range.lowerBound,
            row: row,
            cause: seen.cause,
            expected: seen.expected,
            firstNumberBehind: seen.firstNumberBehind,
            unlisted: seen.unlisted
        )
    }

    /// The tail from the cut on, with all that stands in it.
    fileprivate init(tornTail seen: Observation, _ row: Row, in file: OpenedFile) {
        self.init(seen, row, in: file.name)
        line = seen.cut.line
        offset = seen.cut.offset
        length = file.length - seen.cut.offset
        remedy = .open(cut: seen.cut.offset, isBlank: seen.isBlank && seen.firstNumberBehind == nil)
        unlisted = 0
    }
}
