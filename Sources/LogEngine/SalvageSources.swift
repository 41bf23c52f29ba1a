import LogFormat
import LogStorage

/// The files that a salvage reads: those that opening would replay if it would; otherwise every file
/// from the newest sound snapshot on, or every file.
struct SalvageSources {
    private let directory: StoreDirectory
    /// The UUID that the files of the store name; nil when no header can be read.
    private(set) var store: String?
    private(set) var files: [SalvageReading.Source] = []
    /// The logs that are not there, though others say they were, as runs of generations.
    private(set) var missingLogs: [ClosedRange<UInt64>] = []
    /// Whether the history begins with a snapshot, not with record 1.
    private(set) var isContinuing = false
    /// What is wrong with a snapshot that is not needed, since the generation before it is there.
    private(set) var rebuilt: Corruption?

    init(_ directory: StoreDirectory) throws(EngineError) {
        self.directory = directory
        do throws(EngineError) {
            switch try Recovery.plan(directory) {
            case .store(let plan):
                adopt(plan)
            case .absent, .unfinishedImport:
                throw EngineError(
                    .filesMissing,
                    "\(directory.path) holds no store, so there is nothing to save."
                )
            }
        } catch {
            guard error.code == .corruption else { throw error }
            try chooseFiles()
        }
    }

    private mutating func adopt(_ plan: StorePlan) {
        store = plan.store
        files = plan.files.map { SalvageReading.Source($0.kind, $0.generation, tail: nil) }
        if plan.cut != nil { files[files.count - 1].tail = plan.highestLog.length }
        isContinuing = files.first?.kind == .snapshot
        rebuilt = plan.rebuild?.damage
    }

    private mutating func chooseFiles() throws(EngineError) {
        guard let listing = try directory.listing() else { return }
        var all: [(source: SalvageReading.Source, store: String?)] = []
        for generation in Set(listing.logs + listing.snapshots).sorted() {
            for (kind, generations) in [(FileHeader.Kind.snapshot, listing.snapshots), (.log, listing.logs)]
            where generations.contains(generation) {
                let source = SalvageReading.Source(kind, generation, tail: nil)
                all.append((source, try header(of: source.name)?.store))
            }
        }
        store = Self.commonest(all.compactMap(\.store))
        // Files of another store are listed as such, but nothing is concluded from them.
        let own = all.filter { $0.store == nil || $0.store == store }.map(\.source)
        var base: UInt64 = 0
        for file in own.reversed() where try isSoundSnapshot(file) {
            base = file.generation
            break
        }
        files = all.map(\.source).filter { $0.generation >= base }
        findMissingLogs(own, from: base)
        try findTornTail(own)
        try findStrays(own)
    }

    /// Of two that are named equally often, the one that the newest file names.
    private static func commonest(_ stores: [String]) -> String? {
        var counts: [String: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        let most = counts.values.max()
        return stores.last { counts[$0] == most }
    }

    private mutating func findMissingLogs(_ own: [SalvageReading.Source], from base: UInt64) {
        let own = own.filter { $0.generation >= base }
        isContinuing = own.first?.kind == .snapshot
        guard let first = own.first, let last = own.last else { return }
        var next = isContinuing ? first.generation : 1
        for log in own where log.kind == .log {
            if log.generation > next { missingLogs.append(next...log.generation - 1) }
            next = log.generation + 1
        }
        if next <= last.generation { missingLogs.append(next...last.generation) }
    }

    /// Only the highest file of the store can be a log with a torn tail: all before it was synced.
    private mutating func findTornTail(_ own: [SalvageReading.Source]) throws(EngineError) {
        guard let highest = own.last, highest.kind == .log,
            let index = files.firstIndex(where: { $0.name == highest.name })
        else {
            return
        }
        var seen = LogObservations { _ in nil }
        let length = try SalvageReading.lines(of: highest.name, directory) { _ = seen.observe($0) }
        if case .tornTail = LogVerdict.onHighest(seen, file: highest.name, length: length) {
            files[index].tail = seen.end
        }
    }

    private mutating func findStrays(_ own: [SalvageReading.Source]) throws(EngineError) {
        var order = SalvageOrder()
        let names = Set(own.map(\.name))
        for (number, file) in files.enumerated() where file.kind == .log && names.contains(file.name) {
            _ = try SalvageReading.lines(of: file.name, directory) { line -> Void in
                guard case .record(let record, let place) = line, !place.isInsideDamagedLine else { return }
                guard !record.isAheadOfItself, place.offset < file.tail ?? .max else { return }
                order.observe(record, place, in: number)
            }
        }
        for (number, strays) in order.strays() { files[number].strays = strays }
    }

    private func isSoundSnapshot(_ file: SalvageReading.Source) throws(EngineError) -> Bool {
        guard file.kind == .snapshot else { return false }
        var seen = SnapshotObservations { header in
            header.kind == .snapshot && header.generation == file.generation
                ? nil : "the header does not fit the name"
        }
        let length = try SalvageReading.lines(of: file.name, directory) { _ = seen.observe($0) }
        return seen.verdict(file: file.name, length: length) == nil
    }

    /// The header in the first line, or nil when it is none.
    private func header(of name: String) throws(EngineError) -> FileHeader? {
        var header: FileHeader?
        try SalvageReading.lines(of: name, directory) { (line) -> Bool in
            if case .padding = line { return true }
            if case .header(let found, _) = line { header = found }
            return false
        }
        return header
    }
}
