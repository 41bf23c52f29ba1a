import LogFormat

/// The state of a store at a moment: where each live record stands, not what it says.
///
/// Memory grows with the live ids, not with the files.
struct StateReading {
    /// The files read, in order.
    let chain: [FileJudgement]
    private(set) var live: LiveTable

    /// Reads the state at a moment, or the present one. With `only`, that id alone is kept.
    static func read(
        _ verification: Verification,
        at moment: Moment?,
        only id: CanonicalID? = nil,
        into table: LiveTable = LiveTable()
    ) throws(InspectionError) -> StateReading {
        guard let chain = verification.base.chain(to: moment) else {
            let earliest = verification.base.earliest
            throw .notFound(
                "The store's files reach back to the state behind record \(earliest), no further."
            )
        }
        var live = table
        var changes = ChangeReading(chain, to: moment, only: id)
        try changes.run { id, place in live.apply(id, place) }
        return StateReading(chain: chain, live: live)
    }

    /// The value of a live record, read again from its file.
    func value(of record: RecordPlace) throws(InspectionError) -> [UInt8] {
        try chain[Int(record.file)].file.bytes(record.value)
    }
}
