import LogFormat

/// A live record: what its line says, and where.
struct LiveRecord: Sendable {
    var number: SequenceNumber
    var time: Int64
    /// Index into the chain that was read.
    var file: Int
    var line: Range<UInt64>
    var value: Range<UInt64>
    /// The bytes of all lines of this id that were read since it came to be.
    var spent: UInt64
}

/// The state of a store at a moment: where each live record stands, not what it says.
///
/// Memory grows with the live ids and with the largest batch, not with the files.
struct StateReading {
    /// The files read, in order.
    let chain: [FileJudgement]
    private(set) var live: [CanonicalID: LiveRecord] = [:]
    private let moment: Moment?
    private let wanted: CanonicalID?
    private var last = SequenceNumber.zero
    /// The changes of a batch whose end has not come yet.
    private var batch: [(id: CanonicalID, record: LiveRecord?)] = []
    private var isInBatch = false
    private var isComplete = false

    /// Reads the state at a moment, or the present one. With `only`, that id alone is kept.
    static func read(_ verification: Verification, at moment: Moment?, only id: CanonicalID? = nil)
        throws(InspectionError) -> StateReading
    {
        guard let chain = verification.base.chain(to: moment) else {
            let earliest = verification.base.earliest
            throw .notFound(
                "The store's files reach back to the state behind record \(earliest), no further."
            )
        }
        var reading = StateReading(chain: chain, moment: moment, wanted: id)
        for index in chain.indices where !reading.isComplete {
            try reading.read(index)
        }
        return reading
    }

    private init(chain: [FileJudgement], moment: Moment?, wanted: CanonicalID?) {
        self.chain = chain
        self.moment = moment
        self.wanted = wanted
    }

    /// The value of a live record, read again from its file.
    func value(of record: LiveRecord) throws(InspectionError) -> [UInt8] {
        try chain[record.file].file.bytes(record.value)
    }

    /// The live records by id.
    var sorted: [(key: CanonicalID, value: LiveRecord)] {
        live.sorted { $0.key.spelling.lexicographicallyPrecedes($1.key.spelling) }
    }

    // MARK: Reading

    private mutating func read(_ index: Int) throws(InspectionError) {
        let judgement = chain[index]
        let isLog = judgement.name.kind == .log
        var reader = FileReader(judgement.file, to: judgement.end)
        dropBatch()
        while !isComplete, let line = try reader.next() {
            switch line {
            case .record(let record, let place):
                if isLog { takeInLog(record, place, index) } else { takeInSnapshot(record, place, index) }
            case .invalid: dropBatch()
            case .header, .footer, .padding: break
            }
        }
        dropBatch()
    }

    private mutating func takeInSnapshot(_ record: Record, _ place: LinePlace, _ file: Int) {
        guard isInOrder(record, place), record.operation != .mark else { return }
        last = record.sequenceNumber
        guard isWanted(record) else { return }
        apply(CanonicalID(verified: record.id), LiveRecord(record, place, file))
    }

    /// A batch counts with its last record, or not at all; one with a member missing does not.
    private mutating func takeInLog(_ record: Record, _ place: LinePlace, _ file: Int) {
        guard isInOrder(record, place) else { return }
        if isInBatch, record.sequenceNumber != last.next { dropBatch() }
        if let moment, !moment.includes(record.sequenceNumber, record.time) {
            isComplete = true
            return
        }
        last = record.sequenceNumber
        if record.operation != .mark, isWanted(record) {
            let id = CanonicalID(verified: record.id)
            let change = LiveRecord(record, place, file)
            if record.more || isInBatch {
                batch.append((id, change))
            } else {
                apply(id, change)
            }
        }
        isInBatch = record.more
        if !isInBatch { applyBatch() }
    }

    /// What stands inside a damaged line may be part of a value that only looks like a line.
    private func isInOrder(_ record: Record, _ place: LinePlace) -> Bool {
        !place.isInsideDamagedLine && record.sequenceNumber > last
    }

    private func isWanted(_ record: Record) -> Bool {
        guard let wanted else { return true }
        return record.id.elementsEqual(wanted.spelling)
    }

    private mutating func apply(_ id: CanonicalID, _ change: LiveRecord?) {
        guard var change else {
            live[id] = nil
            return
        }
        change.spent += live[id]?.spent ?? 0
        live[id] = change
    }

    private mutating func applyBatch() {
        for (id, change) in batch { apply(id, change) }
        batch.removeAll(keepingCapacity: true)
    }

    private mutating func dropBatch() {
        batch.removeAll(keepingCapacity: true)
        isInBatch = false
    }
}

extension LiveRecord {
    /// Nil for a delete.
    fileprivate init?(_ record: Record, _ place: LinePlace, _ file: Int) {
        guard record.operation == .put, let line = record.line.baseAddress,
            let value = record.value.baseAddress
        else {
            return nil
        }
        let start = place.offset + UInt64(value - line)
        self.init(
            number: record.sequenceNumber,
            time: record.time,
            file: file,
            line: place.range,
            value: start..<start + UInt64(record.value.count),
            spent: place.length
        )
    }
}
