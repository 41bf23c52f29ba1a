import LogEngine
import LogFormat
import LogInspection
import LogStorage

/// `quarantine restore`: appends quarantined records to the store as new ones.
struct Restoration {
    private let maintainer: Maintainer
    private let access: StoreAccess
    private let piece: QuarantinedPiece
    private let overwrites: Bool

    init(_ maintainer: Maintainer, _ store: String, _ name: String, overwrites: Bool) throws(MaintenanceError)
    {
        self.maintainer = maintainer
        self.overwrites = overwrites
        access = try StoreAccess(maintainer, store)
        piece = try QuarantinedPiece.named(name, in: access.directory)
    }

    func run(dryRun: Bool, json: Bool) throws(MaintenanceError) {
        let lost = try LostRecords(piece)
        guard lost.records.contains(where: { !$0.isInsideDamagedLine }) else {
            throw MaintenanceError(
                .notFound,
                "\(piece.name) holds no sound record, so there is nothing to bring back. "
                    + "walstore quarantine show prints what it holds."
            )
        }
        let choice: RestorationChoice
        if dryRun {
            let lock = try access.lockIfThere()
            choice = try choose(lost, try plan())
            withExtendedLifetime(lock) {}
        } else {
            let store = try access.open()
            choice = try choose(lost, store.plan)
            try engine { () throws(EngineError) in
                if !choice.mutations.isEmpty { try store.append(choice.mutations) }
                try store.close()
            }
        }
        let report = RestorationReport(
            choice: choice,
            damages: lost.damages,
            name: piece.name,
            isWritten: !dryRun,
            maintainer: maintainer
        )
        if json { try report.writeJSON() } else { try report.writeText(access.directory.path) }
    }

    private func plan() throws(MaintenanceError) -> StorePlan {
        let plan = try engine { () throws(EngineError) in try Recovery.plan(access.directory) }
        guard case .store(let plan) = plan else {
            throw MaintenanceError(.noStore, "\(access.directory.path) holds no store.")
        }
        return plan
    }

    private func choose(_ lost: LostRecords, _ plan: StorePlan) throws(MaintenanceError) -> RestorationChoice
    {
        let exact = try numberAtCut()
        return RestorationChoice(
            lost.records,
            plan,
            cut: RestorationChoice.Cut(
                number: exact ?? lost.lowestNumber,
                time: exact == nil ? piece.note?.time : nil
            ),
            overwrites: overwrites
        )
    }

    /// The number of the record that was first written behind the cut, as long as the log is there.
    ///
    /// The numbers of the lost records do not tell: after a cut they are given away anew.
    private func numberAtCut() throws(MaintenanceError) -> SequenceNumber? {
        guard let offset = piece.offset else { return nil }
        let path = access.directory.path(of: piece.file)
        guard let name = StoreFileName(piece.file), name.kind == .log,
            let file = try storage({ () throws(StorageError) in
                try maintainer.fileSystem.openForReading(path)
            }), try storage({ () throws(StorageError) in try file.length() }) >= offset
        else {
            return nil
        }
        var next: SequenceNumber?
        var reading = LineReading(length: offset)
        while let line = try reading.next(of: file) {
            switch line {
            case .record(let record, _): next = record.sequenceNumber.next
            case .header(let header, _): next = header.firstSequenceNumber
            case .damage, .footer: return nil
            }
        }
        return next
    }
}

/// Which of the lost records come back.
struct RestorationChoice {
    /// When the bytes were cut.
    struct Cut {
        /// Records numbered at least this were written since.
        var number: SequenceNumber
        /// And so were those of this time or later, where the number is not certain.
        var time: Int64?
    }

    struct Restored {
        var record: LostRecord
        var newNumber: SequenceNumber
    }

    struct Skipped {
        var record: LostRecord
        /// The record that has taken its id; nil when it only shows inside a damaged line.
        var newer: SequenceNumber?
    }

    private(set) var restored: [Restored] = []
    private(set) var skipped: [Skipped] = []
    let lastSequenceNumber: SequenceNumber

    var mutations: [EncodedMutation] {
        restored.map { EncodedMutation(id: $0.record.id, operation: $0.record.operation) }
    }

    init(_ records: [LostRecord], _ plan: StorePlan, cut: Cut, overwrites: Bool) {
        let spellings = Self.liveSpellings(of: records, in: plan.index)
        var number = plan.lastSequenceNumber
        for var record in records {
            if record.isInsideDamagedLine {
                skipped.append(Skipped(record: record))
                continue
            }
            if let text = record.id.string, let live = spellings[text] { record.id = live }
            let newest = record.id.spelling.withUnsafeBytes { plan.index.location(of: $0) }
            if let newest, !overwrites, Self.isWritten(newest, since: cut) {
                skipped.append(Skipped(record: record, newer: newest.sequenceNumber))
            } else {
                number = number.next
                restored.append(Restored(record: record, newNumber: number))
            }
        }
        lastSequenceNumber = number
    }

    private static func isWritten(_ newest: LiveIndex.Location, since cut: Cut) -> Bool {
        newest.sequenceNumber >= cut.number || cut.time.map { newest.time >= $0 } ?? false
    }

    /// The live spelling of each lost id that Swift calls equal to it. A store with two live spellings of
    /// one `String` is refused by programs.
    private static func liveSpellings(of records: [LostRecord], in index: LiveIndex) -> [String: CanonicalID]
    {
        let lost = Set(records.compactMap(\.id.string))
        var spellings: [String: CanonicalID] = [:]
        guard !lost.isEmpty else { return spellings }
        for slot in index.liveSlots() {
            let id = index.id(at: slot)
            if let text = id.string, lost.contains(text) { spellings[text] = id }
        }
        // Of two lost spellings the first counts.
        for record in records {
            if let text = record.id.string, spellings[text] == nil { spellings[text] = record.id }
        }
        return spellings
    }
}
