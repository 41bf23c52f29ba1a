#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogEngine
import LogFormat
import LogStorage
import Synchronization

/// The live records of a store's files, by id, decoded when they are asked for.
///
/// A value of the files at one moment: what was saved and deleted since is for its owner to know. The
/// files have to stay until nobody uses it any more.
final class StoredItems<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    /// What a record turned out to be.
    enum Found {
        /// With the spelling of its id where encoding the id gives another.
        case item(Item.ID, Item, spelling: CanonicalID?)
        /// Without an id when the spelling is none of the id's type, so that no item can have it.
        case undecodable(Item.ID?, any Error)
    }

    private let coder: ItemCoder<Item>
    private let directory: StoreDirectory
    private let index: LiveIndex
    private let files: [StorePlan.File]
    /// The slots of the ids that may be equal to one that is spelled otherwise.
    private let unusual: [Item.ID: Int]
    /// The live records whose ids no item can have.
    let undecodable: [RecoveryReport.Undecodable]
    private let open: Mutex<[Int32: any StorageFile]> = Mutex([:])

    /// - Throws: `.ambiguousID` when two live records have ids that are equal.
    init(
        _ coder: ItemCoder<Item>,
        _ directory: StoreDirectory,
        _ index: LiveIndex,
        _ files: [StorePlan.File]
    ) throws(StoreError) {
        self.coder = coder
        self.directory = directory
        self.index = index
        self.files = files
        var unusual: [Item.ID: Int] = [:]
        var undecodable: [RecoveryReport.Undecodable] = []
        for slot in 0..<index.count where !index.location(at: slot).isDelete {
            guard !index.withID(at: slot, { coder.isSpelledInOneWay($0) }) else { continue }
            let spelling = index.id(at: slot)
            let id: Item.ID
            do {
                id = try coder.id(from: spelling)
            } catch {
                undecodable.append(Self.undecodable(index, slot, error))
                continue
            }
            let usual = try coder.slot(of: id, in: index)
            if let other = unusual.updateValue(slot, forKey: id) ?? usual, other != slot {
                throw coder.ambiguity(in: directory, index.id(at: other), spelling)
            }
        }
        self.unusual = unusual
        self.undecodable = undecodable
    }

    /// How many live records there are that an item may come of.
    var count: Int { index.liveCount - undecodable.count }

    /// Whether every id is spelled in the one way that there is.
    var isSpelledInOneWay: Bool { unusual.isEmpty && undecodable.isEmpty }

    /// Where the live record of an id is, if there is one.
    func slot(of id: Item.ID) -> Int? {
        if !unusual.isEmpty, let slot = unusual[id] { return slot }
        do {
            return try coder.slot(of: id, in: index)
        } catch {
            // An id that cannot be spelled is no record's.
            return nil
        }
    }

    func spelling(at slot: Int) -> CanonicalID { index.id(at: slot) }

    /// Whether encoding an id gives a spelling.
    func spells(_ id: Item.ID, as spelling: CanonicalID) -> Bool {
        do {
            return try coder.spelling(of: id) == spelling
        } catch {
            return false
        }
    }

    func undecodable(at slot: Int, _ error: any Error) -> RecoveryReport.Undecodable {
        Self.undecodable(index, slot, error)
    }

    private static func undecodable(
        _ index: LiveIndex,
        _ slot: Int,
        _ error: any Error
    ) -> RecoveryReport.Undecodable {
        RecoveryReport.Undecodable(
            id: index.id(at: slot).description,
            sequenceNumber: index.location(at: slot).sequenceNumber.rawValue,
            cause: error
        )
    }

    /// The slots of the live records, in the order in which they stand in the files.
    func slots() -> [Int] { index.liveSlots() }

    /// Reads and decodes a record, its checksum verified anew.
    ///
    /// - Throws: `.io` or `.corruption` when the file does not give the record that was there.
    func read(_ slot: Int) throws(StoreError) -> Found {
        let location = index.location(at: slot)
        let file = try file(location.file)
        let name = files[Int(location.file)].name
        let path = directory.path(of: name)
        let length = Int(location.lineLength)
        return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) {
            (line) -> Result<Found, StoreError> in
            Result { () throws(StoreError) in
                try storage { () throws(StorageError) in
                    try file.readAll(at: location.lineOffset, into: line, path: path)
                }
                guard let record = Record(verifying: UnsafeRawBufferPointer(line)),
                    record.sequenceNumber == location.sequenceNumber
                else {
                    throw StoreError(
                        .corruption,
                        """
                        Record \(location.sequenceNumber) is no longer at byte \(location.lineOffset) of \(path). See \
                        "walstore verify".
                        """
                    )
                }
                return decoded(record, slot)
            }
        }.get()
    }

    private func decoded(_ record: Record, _ slot: Int) -> Found {
        let spelling = index.id(at: slot)
        do {
            let item = try coder.item(from: record.value, schema: record.schema)
            let (id, isUsual) = try coder.id(of: item, spelledAs: spelling)
            return .item(id, item, spelling: isUsual ? nil : spelling)
        } catch {
            return .undecodable(try? coder.id(from: spelling), error)
        }
    }

    private func file(_ number: Int32) throws(StoreError) -> any StorageFile {
        if let file = open.withLock({ $0[number] }) { return file }
        let path = directory.path(of: files[Int(number)].name)
        let opened = try storage { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
        guard let opened else {
            throw StoreError(EngineError(StorageError.vanished(path)))
        }
        return open.withLock { open in
            if let first = open[number] { return first }
            open[number] = opened
            return opened
        }
    }

    /// The same records as they stand since a compaction: in the snapshot it wrote and in the logs that
    /// continue that.
    func moved(to snapshot: StorePlan.File) throws(StoreError) -> StoredItems {
        let later = files.enumerated().filter { $0.element.generation >= snapshot.generation }
        var moved = try engine { () throws(EngineError) in
            try LiveIndex(reading: snapshot, as: 0, in: directory)
        }
        for slot in 0..<index.count {
            var location = index.location(at: slot)
            guard let place = later.firstIndex(where: { $0.offset == Int(location.file) }) else { continue }
            location.file = Int32(place) + 1
            index.withID(at: slot) { moved.set($0, location) }
        }
        return try StoredItems(coder, directory, moved, [snapshot] + later.map(\.element))
    }
}

extension ItemCoder {
    /// Where the live record is that has an id in the spelling of `isSpelledInOneWay`, if there is one.
    fileprivate func slot(of id: Item.ID, in index: LiveIndex) throws(StoreError) -> Int? {
        var usual = try spelling(of: id)
        if idKind == .string, let ascii = ASCIIEqual.spelling(of: id) { usual = ascii }
        guard let slot = usual.spelling.withUnsafeBytes({ index.slot(of: $0) }) else { return nil }
        return index.location(at: slot).isDelete ? nil : slot
    }
}

/// Strings that are not ASCII and equal to one that is.
enum ASCIIEqual {
    /// The only characters outside of ASCII whose canonical decomposition is within: Greek question mark,
    /// Greek varia, Kelvin sign (UnicodeData.txt, field 5).
    static let scalars: [Unicode.Scalar: Unicode.Scalar] = [
        "\u{37E}": ";", "\u{1FEF}": "`", "\u{212A}": "K",
    ]

    /// The spelling of the ASCII string that is equal to a string with one of them, or nil.
    static func spelling(of id: some Sendable) -> CanonicalID? {
        guard let string = id as? String, !string.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var ascii = String.UnicodeScalarView()
        for scalar in string.unicodeScalars { ascii.append(scalars[scalar] ?? scalar) }
        return CanonicalID(String(ascii))
    }
}
