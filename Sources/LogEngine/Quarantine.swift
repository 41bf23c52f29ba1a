import LogFormat
import LogStorage

/// Bytes that recovery removed from a file and kept.
package struct QuarantinedBytes: Hashable, Sendable {
    /// The file they were in, by its name in the store's directory.
    package var file: String
    /// Where they began in it, in bytes.
    package var offset: UInt64
    package var length: UInt64
    package var reason: String
    /// The path of the copy.
    package var path: String
}

/// The directory for damaged bytes: nothing in it is ever removed by the library.
struct Quarantine {
    let directory: StoreDirectory
    let fileMode: FileMode
    let directoryMode: FileMode

    /// Copies a range of a file and a note about it, and makes both stable before it returns.
    ///
    /// Only then may the range be cut: bytes whose copy a power cut could still take are not kept.
    func keep(
        _ range: Range<UInt64>,
        of name: String,
        reason: String,
        time: Int64
    ) throws(EngineError) -> QuarantinedBytes {
        try io { () throws(StorageError) in try copy(range, of: name, reason: reason, time: time) }
    }

    private func copy(
        _ range: Range<UInt64>,
        of name: String,
        reason: String,
        time: Int64
    ) throws(StorageError) -> QuarantinedBytes {
        let fileSystem = directory.fileSystem
        let source = directory.path(of: name)
        guard let file = try fileSystem.openForReading(source) else {
            throw StorageError.vanished(source)
        }
        _ = try fileSystem.createDirectory(directory.quarantinePath, mode: directoryMode)
        let taken = Set(try fileSystem.names(in: directory.quarantinePath) ?? [])
        var number = 1
        func base() -> String { "\(name).\(range.lowerBound).\(number)" }
        while taken.contains("\(base()).bytes") || taken.contains("\(base()).json") { number += 1 }

        let path = "\(directory.quarantinePath)/\(base()).bytes"
        let copy = try fileSystem.create(path, mode: fileMode)
        try copyBytes(range, from: file, source, to: copy)
        try copy.sync()

        let length = range.upperBound - range.lowerBound
        let note = try fileSystem.create("\(directory.quarantinePath)/\(base()).json", mode: fileMode)
        let text = """
            {"file":\(CanonicalID(name)),"offset":\(range.lowerBound),"length":\(length),\
            "reason":\(CanonicalID(reason)),"time":\(time)}

            """
        try note.write(Array(text.utf8), at: 0)
        try note.sync()
        try fileSystem.syncDirectory(directory.quarantinePath)
        try fileSystem.syncDirectory(directory.path)
        return QuarantinedBytes(
            file: name,
            offset: range.lowerBound,
            length: length,
            reason: reason,
            path: path
        )
    }

    private func copyBytes(
        _ range: Range<UInt64>,
        from source: any StorageFile,
        _ path: String,
        to target: any StorageFile
    ) throws(StorageError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = offset..<min(offset + 1 << 20, range.upperBound)
            try target.write(try source.bytes(in: piece, path: path), at: offset - range.lowerBound)
            offset = piece.upperBound
        }
    }
}
