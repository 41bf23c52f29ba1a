import LogEngine
import LogFormat
import LogInspection
import LogStorage

/// One range of bytes in a store's quarantine, with its note.
struct QuarantinedPiece {
    /// Without `.bytes` or `.json`.
    let name: String
    /// Nil when it is missing or not as recovery writes one.
    let note: QuarantineNote?
    /// The bytes that are there; nil when there are none under the name.
    let length: UInt64?
    private let path: String
    private let fileSystem: any FileSystem

    /// The piece of a name, or nil when the quarantine has neither bytes nor a note of it.
    init?(_ name: String, in directory: StoreDirectory) throws(MaintenanceError) {
        self.name = name
        fileSystem = directory.fileSystem
        path = "\(directory.quarantinePath)/\(name).bytes"
        let notePath = "\(directory.quarantinePath)/\(name).json"
        (length, note) = try storage { [fileSystem, path] () throws(StorageError) in
            let length = try fileSystem.openForReading(path)?.length()
            guard let file = try fileSystem.openForReading(notePath) else { return (length, nil) }
            // A note is a few hundred bytes. What is longer is none.
            let bytes = try file.bytes(in: 0..<min(try file.length(), 64 << 10), path: notePath)
            return (length, QuarantineNote(bytes))
        }
        if length == nil, note == nil {
            let kind = try storage { [fileSystem] () throws(StorageError) in
                try fileSystem.kind(of: notePath)
            }
            guard kind != nil else { return nil }
        }
    }

    /// All pieces, by name; empty when there is no quarantine.
    static func all(in directory: StoreDirectory) throws(MaintenanceError) -> [QuarantinedPiece] {
        let found = try storage { () throws(StorageError) in
            try directory.fileSystem.names(in: directory.quarantinePath)
        }
        var names: Set<String> = []
        for name in found ?? [] {
            for ending in [".bytes", ".json"] where name.hasSuffix(ending) {
                names.insert(String(name.dropLast(ending.count)))
            }
        }
        var pieces: [QuarantinedPiece] = []
        for name in names.sorted() {
            if let piece = try QuarantinedPiece(name, in: directory) { pieces.append(piece) }
        }
        return pieces
    }

    /// The piece that a person named.
    static func named(_ name: String, in directory: StoreDirectory) throws(MaintenanceError)
        -> QuarantinedPiece
    {
        guard let piece = try QuarantinedPiece(name, in: directory) else {
            throw MaintenanceError(
                .notFound,
                "There is no \(name) in \(directory.quarantinePath); walstore quarantine list shows what is."
            )
        }
        return piece
    }

    // MARK: Where the bytes were

    /// The file they were in: the note says it, and so does the name, `<file>.<offset>.<n>`.
    var file: String { note?.file ?? parts.file }
    var offset: UInt64? { note?.offset ?? parts.offset }

    private var parts: (file: String, offset: UInt64?) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 2, let offset = UInt64(parts[parts.count - 2]) else { return (name, nil) }
        return (parts.dropLast(2).joined(separator: "."), offset)
    }

    /// What is wrong with the piece, or nil.
    var problem: String? {
        guard let length else { return "the bytes are missing" }
        guard let note else { return "the note is missing or unreadable" }
        return note.length == length ? nil : "the note speaks of \(note.length.counted("byte"))"
    }

    // MARK: The bytes

    func open() throws(MaintenanceError) -> (file: any StorageFile, length: UInt64) {
        let file = try storage { () throws(StorageError) in try fileSystem.openForReading(path) }
        guard let file, let length else {
            throw MaintenanceError(.notFound, "The bytes of \(name) are missing; only their note is there.")
        }
        return (file, length)
    }

    /// Hands the bytes to `body`, a megabyte at a time.
    func read(_ body: ([UInt8]) throws(MaintenanceError) -> Void) throws(MaintenanceError) {
        let (file, length) = try open()
        var offset: UInt64 = 0
        while offset < length {
            let range = offset..<min(offset + 1 << 20, length)
            try body(try storage { () throws(StorageError) in try file.bytes(in: range, path: path) })
            offset = range.upperBound
        }
    }

    /// Hands what the bytes hold to `body`, in order.
    func lines(_ body: (QuarantinedLine) throws(MaintenanceError) -> Void) throws(MaintenanceError) {
        let (file, length) = try open()
        var reading = LineReading(length: length)
        while let line = try reading.next(of: file) { try body(line) }
    }
}
