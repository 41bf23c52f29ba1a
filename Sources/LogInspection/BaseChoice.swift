import LogFormat

/// Which files the state is read from.
struct BaseChoice {
    private let files: StoreFiles
    private let judgements: [FileJudgement]
    private let missing: [Fault]

    init(files: StoreFiles, judgements: [FileJudgement], missing: [Fault]) {
        self.files = files
        self.judgements = judgements
        self.missing = missing
    }

    /// The generation from which opening rebuilds the damaged snapshot of the base, or nil when that
    /// snapshot is sound or nothing sound to rebuild it from is left.
    var rebuild: UInt64? {
        guard let snapshot = judgement(.snapshot, files.base), !snapshot.isSound else { return nil }
        return candidates.dropFirst().first { isSoundFoundation($0) }.map { max($0, 1) }
    }

    /// The files to read, in order, for the state at a moment; nil when they do not reach back so far.
    ///
    /// The present state of a damaged store is what can still be read from its base on.
    func chain(to moment: Moment?) -> [FileJudgement]? {
        let reaching = candidates.filter { reaches($0, moment) }
        let sound = reaching.first { isSoundFoundation($0) }
        guard let start = sound ?? reaching.first(where: { $0 == files.base || hasAllLogs(from: $0) }) else {
            return nil
        }
        return chain(from: start)
    }

    private func chain(from start: UInt64) -> [FileJudgement] {
        judgements.filter { judgement in
            let name = judgement.name
            return name.kind == .log ? name.generation >= start : name.generation == start
        }
    }

    /// The files to read, in order, for all changes: from the oldest generation that leads to the present
    /// state without loss, or of a damaged store from the base on.
    var longestChain: [FileJudgement] {
        let start = candidates.last { isSoundFoundation($0) } ?? files.base
        return chain(from: start)
    }

    /// The lowest number that a state can be asked for.
    var earliest: SequenceNumber {
        let generation = candidates.last(where: { isSoundFoundation($0) }) ?? files.base
        return judgement(.snapshot, generation)?.header?.firstSequenceNumber.previous ?? .zero
    }

    // MARK: Foundations

    /// Stands for the beginning of the first log, before which there was nothing: no generation is 0.
    private static let beginning: UInt64 = 0

    /// Generations that a reading may start from, the base first: those with a snapshot, and the beginning.
    private var candidates: [UInt64] {
        let snapshots = judgements.map(\.name).filter { $0.kind == .snapshot }.map(\.generation)
        let mayBegin = snapshots.isEmpty || (judgement(.log, 1) != nil && !snapshots.contains(1))
        return snapshots.reversed() + (mayBegin || beginsWithFirstRecord ? [Self.beginning] : [])
    }

    private var beginsWithFirstRecord: Bool {
        judgement(.log, 1)?.header?.firstSequenceNumber == .first
    }

    /// Whether the state before the base's log can be had from `generation` without loss: its snapshot
    /// is sound, and so is every log up to the base's.
    private func isSoundFoundation(_ generation: UInt64) -> Bool {
        if generation == Self.beginning {
            guard beginsWithFirstRecord else { return false }
        } else {
            guard judgement(.snapshot, generation)?.isSound ?? false else { return false }
        }
        guard max(generation, 1) < files.base else { return true }
        let isUnbroken = (max(generation, 1)..<files.base).allSatisfy {
            judgement(.log, $0)?.isSound ?? false
        }
        // The rebuilt snapshot must end where the base's log begins.
        let end = judgement(.log, files.base - 1)?.next
        return isUnbroken && judgement(.log, files.base)?.header?.firstSequenceNumber == end
    }

    private func hasAllLogs(from generation: UInt64) -> Bool {
        (max(generation, 1)..<files.base).allSatisfy { judgement(.log, $0) != nil }
    }

    private func reaches(_ generation: UInt64, _ moment: Moment?) -> Bool {
        guard let moment, let snapshot = judgement(.snapshot, generation) else { return true }
        switch moment {
        case .sequenceNumber(let number):
            return snapshot.header.map { $0.firstSequenceNumber.previous <= number } ?? false
        case .time(let time):
            // A deleted record is not in the snapshot; the log's header was made behind the last one.
            let log = judgement(.log, generation)?.header?.time ?? .min
            return max(log, snapshot.time ?? .min) <= time
        }
    }

    private func judgement(_ kind: FileHeader.Kind, _ generation: UInt64) -> FileJudgement? {
        judgements.first { $0.name == StoreFileName(kind: kind, generation: generation) }
    }
}
