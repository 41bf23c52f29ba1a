import LogFormat

/// Follows the lines of one file and notes each place where it stops being sound.
///
/// It can be taken up again from the state before the first such place, which is how a fault is
/// looked at twice without reading the sound part of a large file twice.
struct FileJudge: Sendable {
    /// What the sound lines so far amount to.
    struct State: Sendable {
        var header: FileHeader?
        var headerPlace: LinePlace?
        var hasFirstLine = false
        /// Behind the last valid line.
        var lineEnd = FilePosition.start
        /// X: behind the last complete batch or single record.
        var end = FilePosition.start
        /// e: the number behind X. Without a header and a record it is unknown and stands at 1.
        var next = SequenceNumber.first
        /// The number that the next record must have; above e inside a batch.
        var expected = SequenceNumber.first
        var isNumbered = false
        /// Records of a batch whose end has not come yet.
        var openBatch: UInt64 = 0
        /// The highest `synced` said behind X.
        var batchSynced = SequenceNumber.zero
        /// Records up to X.
        var records: UInt64 = 0
        /// The highest `synced` said.
        var synced: SequenceNumber?
        /// The highest `at` of a record.
        var time: Int64?
        var footer: SnapshotFooter?
    }

    let name: StoreFileName
    let mayBeTorn: Bool
    var state: State
    var observations = Observations()
    /// Whether the line before was no valid one, so that missing numbers have a cause already.
    var isBehindDamage = false

    init(_ name: StoreFileName, mayBeTorn: Bool, from state: State = State()) {
        self.name = name
        self.mayBeTorn = mayBeTorn
        self.state = state
    }

    mutating func take(_ line: ScannedLine) {
        switch line {
        case .padding:
            break
        case .record(let record, let place):
            if !state.hasFirstLine { takeFirstLine(.record, place) }
            switch name.kind {
            case .log: takeInLog(record, place)
            case .snapshot: takeInSnapshot(record, place)
            }
        case .header(let header, let place):
            take(header, place)
        case .footer(let footer, let place):
            take(footer, place)
        case .invalid(let bytes, let place):
            take(bytes, place)
        }
    }

    // MARK: Lines that are no records

    private mutating func take(_ header: FileHeader, _ place: LinePlace) {
        guard !state.hasFirstLine else { return take(.secondHeader, place) }
        if header.kind != name.kind {
            note(.misfit(.kind(header.kind)), place)
        } else if header.generation != name.generation {
            note(.misfit(.generation(header.generation)), place)
        }
        state.hasFirstLine = true
        state.header = header
        state.headerPlace = place
        state.next = name.kind == .log ? header.firstSequenceNumber : .first
        state.expected = state.next
        state.isNumbered = true
        state.lineEnd = place.end
        state.end = state.lineEnd
    }

    private mutating func take(_ footer: SnapshotFooter, _ place: LinePlace) {
        if !state.hasFirstLine {
            takeFirstLine(.footer, place)
        } else if name.kind == .log {
            take(.footerInLog, place)
        } else if state.footer != nil {
            take(.secondFooter, place)
        } else {
            // Damage before it has been noted, and explains another count.
            if footer.records != state.records, observations.isEmpty {
                note(.footerCount(stated: footer.records, found: state.records), place)
            }
            state.footer = footer
            state.lineEnd = place.end
            state.end = state.lineEnd
        }
    }

    private mutating func take(_ bytes: InvalidBytes, _ place: LinePlace) {
        observations.note(bytes.bytes)
        guard state.hasFirstLine else {
            if case .newerFormat(let format) = bytes.reason {
                note(.newerFormat(format), place)
                state.hasFirstLine = true
                return
            }
            return takeFirstLine(bytes.isIntact ? .misshapen : .bytes(bytes.reason, bytes.look), place)
        }
        switch bytes.reason {
        // Inside a damaged line it may be part of a value, which can hold an object like that.
        case .shape where !place.isInsideDamagedLine:
            take(.unknown, place)
        case .newerFormat(let format) where !place.isInsideDamagedLine:
            take(.newerFormat(format), place)
        case .shape, .newerFormat, .frame, .checksum, .lineEnd, .length:
            if isBehindDamage, observations.endInBytes, place.isInsideDamagedLine || bytes.isBlank {
                observations.extendLast(to: place.range.upperBound, isBlank: bytes.isBlank)
            } else {
                note(.bytes(bytes.reason, bytes.look), place)
            }
            isBehindDamage = true
            state.openBatch = 0
        }
    }

    private mutating func takeFirstLine(_ line: FirstLine, _ place: LinePlace) {
        note(.noHeader(line), place)
        state.hasFirstLine = true
        isBehindDamage = true
    }

    /// A line that says a checksummed thing that may not stand there.
    mutating func take(_ problem: Misshapen, _ place: LinePlace) {
        note(.misshapen(problem), place)
        state.lineEnd = place.end
        isBehindDamage = true
        state.openBatch = 0
    }

    // MARK: Notes

    /// To be called before the state takes up the line: a second look begins with what was before.
    mutating func note(_ cause: Cause, _ place: LinePlace) {
        note(cause, place.range, line: place.line)
    }

    mutating func note(_ cause: Cause, _ range: Range<UInt64>, line: UInt64) {
        let observation = Observation(
            cause: cause,
            range: range,
            line: line,
            cut: state.end,
            next: state.next,
            expected: state.expected,
            records: state.records,
            isCovered: state.batchSynced >= state.next
        )
        observations.add(observation, before: state)
    }

    /// The end of the file is reached.
    consuming func finish(_ file: OpenedFile) -> FileJudgement {
        if !state.hasFirstLine {
            note(.noHeader(.nothing), 0..<file.length, line: 1)
        } else if state.openBatch > 0 {
            let first = state.next
            note(.openBatch(first), state.end.offset..<state.lineEnd.offset, line: state.end.line)
        } else if name.kind == .snapshot, state.footer == nil, !endsInDamage(file.length) {
            note(.noFooter, state.lineEnd.offset..<file.length, line: state.lineEnd.line)
        }
        observations.finish()
        return FileJudgement(file, self)
    }

    private func endsInDamage(_ length: UInt64) -> Bool {
        guard let last = observations.list.last else { return false }
        return last.range.upperBound == length
    }
}

extension LinePlace {
    /// Where the next line begins.
    var end: FilePosition { FilePosition(offset: range.upperBound, line: line + 1) }
}

extension InvalidBytes {
    fileprivate var look: DamagedBytes {
        if isBlank { return .blank }
        return bytes.suffix(2).elementsEqual([0x0D, 0x0A]) ? .carriageReturn : .other
    }
}
