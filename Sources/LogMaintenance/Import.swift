import LogEngine
import LogFormat
import LogInspection
import LogStorage

/// `import`: puts the items of a file into a store, which is made when it is not there.
struct Import {
    private let maintainer: Maintainer
    private let directory: StoreDirectory

    /// Items are appended and synced in batches: as many, or as many bytes.
    private static let batchCount = 1000
    private static let batchBytes = 4 << 20

    init(_ maintainer: Maintainer, _ store: String) {
        self.maintainer = maintainer
        directory = StoreDirectory(path: store, fileSystem: maintainer.fileSystem)
    }

    func run(_ path: String, key: String, json: Bool) throws(MaintenanceError) {
        let opened = try storage { () throws(StorageError) in try maintainer.fileSystem.openForReading(path) }
        guard let file = opened else { throw MaintenanceError(.noStore, "There is no file \(path).") }
        var reader = try ItemReader(file, path: path)
        // A file that is no data at all makes no store.
        var first = try reader.item()
        let isNew = try create()
        let store = try StoreAccess(maintainer, directory.path).open()
        var spellings = LiveSpellings(store.plan.index)
        var imported: UInt64 = 0
        do throws(MaintenanceError) {
            while true {
                let batch = try batch(&reader, &first, key, &spellings)
                if batch.isEmpty { break }
                try engine { () throws(EngineError) in try store.append(batch) }
                imported += UInt64(batch.count)
                try inspection { () throws(InspectionError) in
                    try maintainer.surroundings.watch.advance(path, reader.offset, of: reader.length)
                }
            }
        } catch {
            throw stopped(error, behind: imported, store)
        }
        let last = store.lastSequenceNumber
        try engine { () throws(EngineError) in try store.close() }
        try report(imported, isNew: isNew, last, json: json)
    }

    /// What was imported before a failure stays; to import the file again puts the same values once more.
    private func stopped(_ failure: MaintenanceError, behind imported: UInt64, _ store: UntypedStore)
        -> MaintenanceError
    {
        var failure = failure
        failure.message += " \(imported.counted("item")) before that were imported and stay."
        do throws(EngineError) {
            try store.close()
        } catch {
            failure.message += " \(error.message)"
        }
        return failure
    }

    // MARK: The store

    /// True when there was none.
    private func create() throws(MaintenanceError) -> Bool {
        let kind = try storage { () throws(StorageError) in
            try maintainer.fileSystem.kind(of: directory.path)
        }
        if kind == .file || kind == .other {
            throw MaintenanceError(.cannotCreate, "\(directory.path) is no directory, and a store is one.")
        }
        let listing = try engine { () throws(EngineError) in try directory.listing() }
        if let listing, listing.hasStore { return false }
        let place = OutputPlace(maintainer: maintainer, store: directory.path, path: directory.path)
        let names = try storage { () throws(StorageError) in
            try maintainer.fileSystem.names(in: directory.path)
        }
        if let names, !names.isEmpty {
            throw MaintenanceError(
                .cannotCreate,
                "\(directory.path) is no store and not empty. Name a store, or a directory that is not there."
            )
        }
        try place.makeDirectory()
        let header = FileHeader(
            kind: .log,
            store: maintainer.surroundings.newStore(),
            generation: 1,
            firstSequenceNumber: .first,
            deletesSince: nil,
            time: maintainer.surroundings.now()
        )
        do throws(EngineError) {
            _ = try StoreCreation.log(header, in: directory, mode: .privateFile)
        } catch {
            throw MaintenanceError(.cannotCreate, error.message)
        }
        return true
    }

    // MARK: Items

    private func batch(
        _ reader: inout ItemReader,
        _ first: inout [UInt8]?,
        _ key: String,
        _ spellings: inout LiveSpellings
    ) throws(MaintenanceError) -> [EncodedMutation] {
        var batch: [EncodedMutation] = []
        var bytes = 0
        while batch.count < Self.batchCount, bytes < Self.batchBytes {
            let item: [UInt8]
            if let held = first.take() {
                item = held
            } else if let read = try reader.item() {
                item = read
            } else {
                break
            }
            let id = spellings.spelling(of: try id(of: item, key, reader))
            batch.append(EncodedMutation(id: id, operation: .put(value: item, schema: 1)))
            bytes += item.count
        }
        return batch
    }

    private func id(of item: [UInt8], _ key: String, _ reader: borrowing ItemReader) throws(MaintenanceError)
        -> CanonicalID
    {
        let id = item.withUnsafeBytes { item -> CanonicalID? in
            guard let members = JSONText.members(of: item),
                let member = members.last(where: { JSONText.string($0.name) == key })
            else {
                return nil
            }
            if let string = JSONText.string(member.value) { return CanonicalID(string) }
            return CanonicalID(spelling: member.value)
        }
        guard let id else {
            throw reader.unfit(
                "item \(reader.count) has no member \"\(key)\" that is a string or a whole number, to be its id"
            )
        }
        return id
    }

    // MARK: The outcome

    private func report(_ imported: UInt64, isNew: Bool, _ last: SequenceNumber, json: Bool)
        throws(MaintenanceError)
    {
        if json {
            var line = JSONLine()
            line.add("type", "summary")
            line.add("created", isNew)
            line.add("imported", imported)
            line.add("lastSeq", last)
            return try maintainer.print(line)
        }
        let made = isNew ? ", a new store" : ""
        try maintainer.print(
            "\(TerminalText.escaped(directory.path))\(made): \(imported.counted("item")) imported, last record \(last)"
        )
    }
}

/// The one spelling of each id whose text Swift takes for the same: a program would refuse a store with two.
struct LiveSpellings {
    private let index: LiveIndex
    /// By text; made once an id comes up that has more than one spelling.
    private var byText: [String: CanonicalID]?

    init(_ index: LiveIndex) {
        self.index = index
    }

    /// The spelling that is live or was imported before, or else this one.
    mutating func spelling(of id: CanonicalID) -> CanonicalID {
        guard let text = id.string.map(Self.withoutDoubles) else { return id }
        let id = CanonicalID(text)
        if byText == nil {
            // ASCII alone is spelled in one way, as long as nothing else is live.
            if id.spelling.allSatisfy({ $0 < 0x80 }), !hasOtherText { return id }
            byText = [:]
            for slot in index.liveSlots() {
                let live = index.id(at: slot)
                if let text = live.string { byText?[text] = live }
            }
        }
        if let known = byText?[text] { return known }
        byText?[text] = id
        return id
    }

    /// Three characters are the same as an ASCII one to Swift, and have no other spelling.
    private static func withoutDoubles(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{212A}": scalars.append("K")
            case "\u{37E}": scalars.append(";")
            case "\u{1FEF}": scalars.append("`")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private lazy var hasOtherText = index.liveSlots().contains { slot in
        index.withID(at: slot) { id in id.contains { $0 >= 0x80 } }
    }
}
