import LogFormat

/// Reads the changes in a chain of files in order: each number once, a batch whole or not at all.
///
/// Memory grows only with a batch that may turn out to be cut short.
struct ChangeReading {
    /// Takes a put or a delete: its id, and where it stands.
    typealias Take = (UnsafeRawBufferPointer, RecordPlace) throws(InspectionError) -> Void

    /// The files read, in order.
    let chain: [FileJudgement]
    private let moment: Moment?
    private let wanted: CanonicalID?
    private var last = SequenceNumber.zero
    /// The changes of a batch whose end has not come yet.
    private var batch: [(id: CanonicalID, place: RecordPlace)] = []
    private var isInBatch = false
    /// Whether no batch in the file can have been cut short.
    private var batchesAreWhole = false
    private var isComplete = false

    /// Up to a moment, or all. With `only`, that id alone.
    init(_ chain: [FileJudgement], to moment: Moment? = nil, only id: CanonicalID? = nil) {
        self.chain = chain
        self.moment = moment
        wanted = id
    }

    mutating func run(_ take: Take) throws(InspectionError) {
        for index in chain.indices where !isComplete { try read(index, take) }
    }

    private mutating func read(_ index: Int, _ take: Take) throws(InspectionError) {
        let judgement = chain[index]
        let isLog = judgement.name.kind == .log
        batchesAreWhole = moment == nil && judgement.faults.allSatisfy { $0.verdict == .tornTail }
        var reader = FileReader(judgement.file, to: judgement.end)
        dropBatch()
        while !isComplete, let line = try reader.next() {
            switch line {
            case .record(let record, let place):
                guard isInOrder(record, place) else { continue }
                if isLog {
                    try takeInLog(record, place, index, take)
                } else {
                    try takeInSnapshot(record, place, index, take)
                }
            case .invalid: dropBatch()
            case .header, .footer, .padding: break
            }
        }
        dropBatch()
    }

    private mutating func takeInSnapshot(_ record: Record, _ place: LinePlace, _ file: Int, _ take: Take)
        throws(InspectionError)
    {
        guard record.operation != .mark else { return }
        last = record.sequenceNumber
        if isWanted(record) { try take(record.id, RecordPlace(record, place, file: file)) }
    }

    /// A batch counts with its last record, or not at all; one with a member missing does not.
    private mutating func takeInLog(_ record: Record, _ place: LinePlace, _ file: Int, _ take: Take)
        throws(InspectionError)
    {
        if isInBatch, record.sequenceNumber != last.next { dropBatch() }
        if let moment, !moment.includes(record.sequenceNumber, record.time) {
            isComplete = true
            return
        }
        last = record.sequenceNumber
        if record.operation != .mark, isWanted(record) {
            let change = RecordPlace(record, place, file: file)
            if batchesAreWhole || !(record.more || isInBatch) {
                try take(record.id, change)
            } else {
                batch.append((CanonicalID(verified: record.id), change))
            }
        }
        isInBatch = record.more
        if !isInBatch { try takeBatch(take) }
    }

    /// What stands inside a damaged line may be part of a value that only looks like a line.
    private func isInOrder(_ record: Record, _ place: LinePlace) -> Bool {
        !place.isInsideDamagedLine && record.sequenceNumber > last
    }

    private func isWanted(_ record: Record) -> Bool {
        guard let wanted else { return true }
        return record.id.elementsEqual(wanted.spelling)
    }

    private mutating func takeBatch(_ take: Take) throws(InspectionError) {
        for (id, place) in batch {
            try id.spelling.withUnsafeBufferPointer { (id) throws(InspectionError) in
                try take(UnsafeRawBufferPointer(id), place)
            }
        }
        batch.removeAll(keepingCapacity: true)
    }

    private mutating func dropBatch() {
        batch.removeAll(keepingCapacity: true)
        isInBatch = false
    }
}
