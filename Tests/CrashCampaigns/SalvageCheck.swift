import LogEngine
import LogFormat
import LogInspection
import LogStorage
import TestSupport

/// Saves what is sound of a store with damage, and holds the new store against the lines of the old one.
///
/// Whatever the bytes are: the damaged store stays as it is, the new one is sound and opens, each of its
/// values stands under its id in a sound line, the newest that was not left out by name, and its numbers
/// go on behind all that were given away.
struct SalvageCheck {
    private struct Place: Hashable {
        var file: String
        var offset: UInt64
    }

    private struct SoundRecord {
        var place: Place
        var record: ByteFile.CopiedRecord
        var isInsideDamagedLine: Bool

        var number: UInt64 { record.head.sequenceNumber.rawValue }

        /// Of two with one number a log's counts, else the later one.
        func counts(over other: SoundRecord) -> Bool {
            if number != other.number { return number > other.number }
            return place.file.hasPrefix("log-") || other.place.file.hasPrefix("snapshot-")
        }
    }

    private let image: SimulatedDisk
    private let opening: Opening

    private(set) var report: SalvageReport
    private(set) var saved: [String: String] = [:]

    /// - Returns: nil where nothing can be saved: no store, or one of a newer format.
    /// - Throws: `Violation`.
    init?(of image: SimulatedDisk, _ opening: Opening) throws {
        self.image = image
        self.opening = opening
        let before = image.fingerprint
        let source = StoreDirectory.simulated(image)
        let salvage: Salvage
        do throws(EngineError) {
            salvage = try Salvage(of: source)
        } catch {
            guard Self.mayRefuse(error, opening) else {
                throw Violation(.salvageKeepsWhatIsSound, "\(opening) cannot be saved: \(error)")
            }
            return nil
        }
        report = salvage.report
        try write(salvage)
        guard image.fingerprint == before else {
            throw Violation(.salvageKeepsWhatIsSound, "the damaged store was changed")
        }
        try checkValues(salvage.sources)
        if case .opened(_, let found) = opening, found.state != saved {
            throw Violation(.salvageKeepsWhatIsSound, "opens to \(found.state), saved is \(saved)")
        }
    }

    private static func mayRefuse(_ error: EngineError, _ opening: Opening) -> Bool {
        switch (error.code, opening) {
        case (.newerFormat, .newerFormat), (.filesMissing, .absent): true
        // An import that never ended holds nothing, and opening refuses it.
        case (.filesMissing, .refused): true
        default: false
        }
    }

    /// Writes the new store, opens it and has it inspected.
    private mutating func write(_ salvage: Salvage) throws {
        var salvage = salvage
        let disk = SimulatedDisk()
        disk.addDirectory("/d")
        let target = StoreDirectory.simulated(disk)
        do {
            report = try salvage.write(
                to: target,
                store: "00000000-0000-4000-8000-00000000000a",
                fileMode: .privateFile,
                directoryMode: .privateDirectory
            )
            let plan = try Recovery.storePlan(target)
            let found = try plan.moment(in: target)
            saved = found.state
            let verification = try Verification.run(target.path, disk, pause: {})
            guard verification.verdict == .sound, plan.cut == nil else {
                throw Violation(.salvageKeepsWhatIsSound, "the new store has \(verification.faults)")
            }
            guard plan.lastSequenceNumber.next == report.firstSequenceNumber,
                report.liveRecords == UInt64(saved.count)
            else {
                throw Violation(.salvageKeepsWhatIsSound, "the new store has \(found), the report \(report)")
            }
        } catch let error as Violation {
            throw error
        } catch {
            throw Violation(.salvageKeepsWhatIsSound, "the new store: \(error)")
        }
        guard disk.openFileCount == 0, disk.heldLockCount == 0 else {
            throw Violation(.nothingIsLeaked, "\(disk.openFileCount) files stay open")
        }
    }

    // MARK: Against the lines

    private func checkValues(_ sources: [String]) throws {
        let records = records(in: sources)
        let leftOut = Set(report.leftOut.map { Place(file: $0.file, offset: $0.offset) })
        var newest: [String: SoundRecord] = [:]
        var isDoubtful: Set<String> = []
        var texts: [String: Set<String>] = [:]
        for record in records where record.record.operation != .mark {
            let id = String(decoding: record.record.id, as: UTF8.self)
            let value = String(decoding: record.record.value, as: UTF8.self)
            texts[id, default: []].insert(value)
            if leftOut.contains(record.place) {
                isDoubtful.insert(id)
            } else if newest[id].map(record.counts(over:)) ?? true {
                newest[id] = record
            }
            if !record.isInsideDamagedLine, record.record.head.sequenceNumber < .highest,
                record.record.head.sequenceNumber >= report.firstSequenceNumber
            {
                throw Violation(.salvageKeepsWhatIsSound, "number \(record.number) would be given away again")
            }
        }
        for id in Set(newest.keys).union(saved.keys) {
            let right = newest[id].flatMap {
                $0.record.operation == .put ? String(decoding: $0.record.value, as: UTF8.self) : nil
            }
            // What was left out of an id may have been its newest record.
            let isRight =
                isDoubtful.contains(id)
                ? saved[id].map { texts[id]?.contains($0) ?? false } ?? true : saved[id] == right
            guard isRight else {
                throw Violation(
                    .salvageKeepsWhatIsSound,
                    "\(id) is \(saved[id] ?? "gone"), its newest sound record \(right ?? "gone"); \(report)"
                )
            }
        }
    }

    /// The sound records of the store's own files.
    private func records(in sources: [String]) -> [SoundRecord] {
        let files = allFiles.map { (name: $0, items: ByteFile(image.file($0) ?? []).items()) }
        func header(_ items: [ByteFile.Item]) -> String? {
            guard case .header(let header)? = items.first(where: { $0.content != .padding })?.content else {
                return nil
            }
            return header.store
        }
        let own: String?
        if case .opened(let plan, _) = opening {
            own = plan.store
        } else {
            own = Self.commonest(files.compactMap { header($0.items) })
        }
        return files.flatMap { file -> [SoundRecord] in
            guard sources.contains(file.name), header(file.items).map({ $0 == own }) ?? true else {
                return []
            }
            return file.items.compactMap { item in
                guard case .record(let record) = item.content else { return nil }
                return SoundRecord(
                    place: Place(file: file.name, offset: item.place.offset),
                    record: record,
                    isInsideDamagedLine: item.place.isInsideDamagedLine
                )
            }
        }
    }

    /// The store's files, by generation, a snapshot before its log.
    private var allFiles: [String] {
        image.sortedNames(in: StoreDirectory.simulated(image).path).filter { $0.hasSuffix(".jsonl") }.sorted {
            let numbers = ($0.suffix(16), $1.suffix(16))
            return numbers.0 != numbers.1 ? numbers.0 < numbers.1 : $0 > $1
        }
    }

    /// Of two that are named equally often, the last one.
    private static func commonest(_ stores: [String]) -> String? {
        let counts = Dictionary(grouping: stores) { $0 }.mapValues(\.count)
        return stores.last { counts[$0] == counts.values.max() }
    }
}

/// The live records of a sound store, to see what damage of some of its bytes may take.
struct LiveLines {
    private struct Line {
        var id: String
        var value: String
        var file: String
        /// With those of its batch, and the line feed before it.
        var bytes: Range<Int>
    }

    private var lines: [Line] = []
    private let files: [String: [UInt8]]
    private let highestLog: String

    /// Nil where the store does not open.
    init?(_ disk: SimulatedDisk, _ files: [String: [UInt8]]) throws {
        self.files = files
        let directory = StoreDirectory.simulated(disk)
        guard case .opened(let plan, let found) = try Opening(directory) else { return nil }
        highestLog = plan.highestLog.name
        let itemsOf = files.mapValues { ByteFile($0).items() }
        for slot in plan.index.liveSlots() {
            let location = plan.index.location(at: slot)
            let id = plan.index.id(at: slot).description
            let file = plan.files[Int(location.file)].name
            let items = itemsOf[file] ?? []
            guard let place = items.firstIndex(where: { $0.place.offset == location.lineOffset }) else {
                continue
            }
            func hasMore(_ index: Int) -> Bool {
                if case .record(let record) = items[index].content { record.head.more } else { false }
            }
            var (first, last) = (place, place)
            while first > 0, hasMore(first - 1) { first -= 1 }
            while hasMore(last) { last += 1 }
            let bytes =
                Int(items[first].place.range.lowerBound) - 1..<Int(items[last].place.range.upperBound)
            lines.append(Line(id: id, value: found.state[id] ?? "", file: file, bytes: bytes))
        }
    }

    /// What must still be there when bytes of one file were changed or cut off.
    func untouched(_ damaged: [String: [UInt8]]) -> [String: String] {
        var state: [String: String] = [:]
        for (name, bytes) in files where damaged[name] != bytes {
            let now = damaged[name] ?? []
            let shared = min(bytes.count, now.count)
            let changed = (0..<shared).lazy.filter { bytes[$0] != now[$0] }
            let start = changed.first ?? shared
            let end = now.count < bytes.count ? bytes.count : (changed.last ?? start) + 1
            for line in lines {
                // Behind damage in the highest log nothing may tell that the records there were ever promised.
                let isTouched =
                    line.file == name
                    && (line.bytes.overlaps(start..<end)
                        || name == highestLog && line.bytes.upperBound > start)
                if !isTouched { state[line.id] = line.value }
            }
        }
        return state
    }
}
