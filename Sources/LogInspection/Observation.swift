import LogFormat

/// What was seen at and behind one place where a file stops being sound: all that the verdict needs.
struct Observation: Hashable, Sendable {
    var cause: Cause
    /// The bytes that are not as they should be; empty where some are missing.
    var range: Range<UInt64>
    var line: UInt64
    /// X: the end of the last complete batch or single record before.
    var cut: FilePosition
    /// e: the number after X.
    var next: SequenceNumber
    /// The number expected at the place itself, above e inside a batch.
    var expected: SequenceNumber
    /// The records that count before X.
    var records: UInt64
    /// Whether a valid line behind X says `synced` >= e.
    var isCovered: Bool
    /// The number of the first valid record behind the place.
    var firstNumberBehind: SequenceNumber?
    /// Whether the file's first line is no header, so that no X can be told.
    var isBehindMissingHeader = false
    /// Whether a line of no known shape stands behind it.
    var isBeforeMisshapenLine = false
    /// How many more observations were only counted.
    var unlisted: UInt64 = 0

    /// Whether the bytes are nothing but NULs and LFs.
    var isBlank: Bool {
        guard case .bytes(_, .blank) = cause else { return false }
        return true
    }
}

/// The observations in one file, in order, in bounded memory.
struct Observations: Sendable {
    /// What comes behind so many is counted and its range added to the last.
    static let limit = 1000

    private(set) var list: [Observation] = []
    /// The state of the reading before the first of them.
    private(set) var stateBefore: FileJudge.State?
    /// A checksum of all invalid bytes, to tell whether they are the same at a second look.
    private(set) var fingerprint = CRC32C()
    /// So many from the first on are covered; e never falls, so they are the first ones.
    private var covered = 0
    /// From here on none has a valid record behind it yet.
    private var awaiting = 0

    var isEmpty: Bool { list.isEmpty }

    /// Whether the last one is of bytes that are no line, which may go on.
    var endInBytes: Bool {
        switch list.last?.cause {
        case .bytes, .noHeader: true
        default: false
        }
    }

    mutating func add(_ observation: Observation, before state: FileJudge.State) {
        if list.isEmpty { stateBefore = state }
        guard list.count < Self.limit else {
            list[list.count - 1].unlisted += 1
            return extendLast(to: observation.range.upperBound, isBlank: observation.isBlank)
        }
        list.append(observation)
        if observation.isCovered, covered == list.count - 1 { covered += 1 }
    }

    /// The last observation's bytes go on up to `end`.
    mutating func extendLast(to end: UInt64, isBlank: Bool) {
        let last = list.count - 1
        list[last].range = list[last].range.lowerBound..<max(end, list[last].range.upperBound)
        if !isBlank, case .bytes(let reason, .blank) = list[last].cause {
            list[last].cause = .bytes(reason, .other)
        }
    }

    mutating func note(_ bytes: UnsafeRawBufferPointer) {
        fingerprint.update(bytes)
    }

    /// A valid record stands behind all observations so far.
    mutating func sawRecord(_ number: SequenceNumber, synced: SequenceNumber?) {
        while awaiting < list.count {
            list[awaiting].firstNumberBehind = number
            awaiting += 1
        }
        guard let synced else { return }
        while covered < list.count, list[covered].next <= synced {
            list[covered].isCovered = true
            covered += 1
        }
    }

    /// Tells every observation what stands in the file before and behind it.
    mutating func finish() {
        if case .noHeader = list.first?.cause {
            for index in list.indices.dropFirst() { list[index].isBehindMissingHeader = true }
        }
        guard let last = list.lastIndex(where: { $0.cause.isMisshapenLine }) else { return }
        for index in 0..<last { list[index].isBeforeMisshapenLine = true }
    }
}

extension Cause {
    fileprivate var isMisshapenLine: Bool {
        if case .misshapen = self { true } else { false }
    }
}
