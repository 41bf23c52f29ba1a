#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LogEngine
import LogFormat

/// Items and ids to bytes and back: the only place with a JSON encoder.
///
/// The encoders are shared between tasks; encoding and decoding do not change them.
struct ItemCoder<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: Codable & Sendable {
    /// Ids of these types are spelled without an encoder.
    enum IDKind {
        case string
        case integer
        case uuid
        case other
    }

    private let encoder: JSONEncoder
    private let decoder: JSONDecoder
    private let idEncoder = JSONEncoder()
    private let idDecoder = JSONDecoder()
    let idKind: IDKind
    let schemaVersion: UInt64
    private let migrate: (@Sendable (Data, Int) throws -> Data)?

    init(_ configuration: StoreConfiguration) throws(StoreError) {
        encoder = configuration.makeEncoder()
        decoder = configuration.makeDecoder()
        precondition(configuration.schemaVersion >= 1, "Schema versions begin at 1.")
        schemaVersion = UInt64(configuration.schemaVersion)
        migrate = configuration.migrate
        if Item.ID.self == String.self {
            idKind = .string
        } else if Item.ID.self is any FixedWidthInteger.Type {
            idKind = .integer
        } else if Item.ID.self == UUID.self {
            idKind = .uuid
        } else if Item.ID.self is any BinaryFloatingPoint.Type || Item.ID.self == Bool.self {
            throw Self.unsupported("\(Item.ID.self)")
        } else {
            idKind = .other
        }
    }

    // MARK: Items

    /// The record of a save.
    func put(_ item: Item) throws(StoreError) -> PendingChange<Item> {
        let id = try spelling(of: item.id)
        return PendingChange(id: item.id, spelling: id, item: item, value: try value(of: item, id))
    }

    /// The record of a deletion.
    func delete(_ id: Item.ID) throws(StoreError) -> PendingChange<Item> {
        PendingChange(id: id, spelling: try spelling(of: id), item: nil, value: [])
    }

    private func value(of item: Item, _ id: CanonicalID) throws(StoreError) -> [UInt8] {
        let data: Data
        do {
            data = try encoder.encode(item)
        } catch {
            throw StoreError(
                .encodingFailed,
                "The item \(id) cannot be encoded as JSON, so nothing was written: \(error)",
                cause: error
            )
        }
        let bytes = [UInt8](data)
        guard bytes.withUnsafeBytes({ JSONText.isValue($0) }) else {
            let reason =
                bytes.contains(0x0A)
                ? "with line breaks, and a record is one line. Use an encoder without .prettyPrinted"
                : "as something that is no JSON value in UTF-8"
            throw StoreError(.encodingFailed, "The item \(id) is encoded \(reason). Nothing was written.")
        }
        return bytes
    }

    /// The item of a value that was written with a schema version.
    func item(from value: UnsafeRawBufferPointer, schema: UInt64) throws -> Item {
        guard schema <= schemaVersion else {
            throw DecodingFailure(
                reason: "its schema version is \(schema), and this program knows \(schemaVersion)"
            )
        }
        var json = Data(value)
        if schema < schemaVersion, let migrate { json = try migrate(json, Int(schema)) }
        return try decoder.decode(Item.self, from: json)
    }

    /// Whether values of a schema version are decoded as they stand.
    func decodesAsWritten(schema: UInt64) -> Bool {
        schema == schemaVersion || schema < schemaVersion && migrate == nil
    }

    /// The items of a plain JSON array.
    func items(from array: [UInt8]) throws -> [Item] {
        try decoder.decode([Item].self, from: Data(array))
    }

    // MARK: Ids

    /// The id as it stands in a record when no live record spells it otherwise.
    func spelling(of id: Item.ID) throws(StoreError) -> CanonicalID {
        switch idKind {
        case .string:
            if let string = id as? String { return CanonicalID(string) }
        case .integer:
            if let integer = id as? any FixedWidthInteger { return CanonicalID(integer) }
        case .uuid:
            if let uuid = id as? UUID { return CanonicalID(uuid.uuidString) }
        case .other:
            break
        }
        do {
            let json = [UInt8](try idEncoder.encode(id))
            if json.first == UInt8(ascii: "\"") {
                return CanonicalID(try idDecoder.decode(String.self, from: Data(json)))
            }
            if let integer = CanonicalID(spelling: json) { return integer }
        } catch {
            throw Self.unsupported("\(id)", cause: error)
        }
        throw Self.unsupported("\(id)")
    }

    /// Whether no other spelling can stand for an id that is equal to the one spelled so.
    ///
    /// Two strings are equal when their canonical decompositions are, and of ASCII nothing decomposes.
    func isSpelledInOneWay(_ spelling: UnsafeRawBufferPointer) -> Bool {
        switch idKind {
        case .string: spelling.first == UInt8(ascii: "\"") && spelling.allSatisfy { $0 < 0x80 }
        case .integer: spelling.first != UInt8(ascii: "\"") && spelling.count <= 18
        case .uuid: spelling.count == 38 && spelling.allSatisfy { $0 < UInt8(ascii: "a") }
        case .other: false
        }
    }

    func isSpelledInOneWay(_ id: CanonicalID) -> Bool {
        id.spelling.withUnsafeBytes { isSpelledInOneWay($0) }
    }

    func id(from spelling: CanonicalID) throws -> Item.ID {
        if idKind == .string, let string = spelling.string as? Item.ID { return string }
        return try idDecoder.decode(Item.ID.self, from: Data(spelling.spelling))
    }

    /// The id that a record's spelling gives, which must be the item's, and whether encoding it gives
    /// that spelling again.
    func id(of item: Item, spelledAs spelling: CanonicalID) throws -> (Item.ID, isUsual: Bool) {
        let own = item.id
        // Nearly always, and then there is nothing to decode or compare.
        if try self.spelling(of: own) == spelling { return (own, true) }
        let id = try id(from: spelling)
        guard own == id else {
            let reason =
                "the item decoded from it has another id, \(own). Is the id among the type's coding keys?"
            throw DecodingFailure(reason: reason)
        }
        return (id, try self.spelling(of: id) == spelling)
    }

    /// A store has two live records for what is one id to the item type.
    func ambiguity(in directory: StoreDirectory, _ first: CanonicalID, _ second: CanonicalID) -> StoreError {
        StoreError(
            .ambiguousID,
            """
            \(directory.path) has live records for \(first) and \(second), which are equal as \(Item.ID.self), so \
            it is not known which counts. Nothing was changed; delete one of them with a type that tells them apart.
            """
        )
    }

    private static func unsupported(_ id: String, cause: (any Error)? = nil) -> StoreError {
        StoreError(
            .unsupportedID,
            """
            The id \(id) of \(Item.self) does not encode as a JSON string or integer. Use String, an integer, UUID, \
            or an enum or wrapper that encodes as one of them.
            """,
            cause: cause
        )
    }
}

/// A put or a delete on its way into the log.
///
/// A class, since a change is handed on many times before it is acknowledged, and a copy of an item
/// costs a retain for each of its members.
final class PendingChange<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
    let id: Item.ID
    let spelling: CanonicalID
    /// Nil for a delete.
    let item: Item?
    /// The JSON text of the item; empty for a delete.
    let value: [UInt8]

    /// Every JSON text has a byte.
    var isDelete: Bool { value.isEmpty }

    init(id: Item.ID, spelling: CanonicalID, item: Item?, value: [UInt8]) {
        self.id = id
        self.spelling = spelling
        self.item = item
        self.value = value
    }

    /// The same change in the spelling that the live record of its id has.
    func spelled(_ spelling: CanonicalID) -> PendingChange {
        spelling == self.spelling ? self : PendingChange(id: id, spelling: spelling, item: item, value: value)
    }

    func encoded(schema: UInt64) -> EncodedMutation {
        EncodedMutation(
            id: spelling,
            operation: isDelete ? .delete : .put(value: value, schema: schema)
        )
    }
}
