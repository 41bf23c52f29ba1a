/// Puts a whole file in the place of a name, so that after any crash the name stands for the old file
/// or the new one: temporary, sync, rename, sync directory.
package struct AtomicReplace: ~Copyable {
    /// The ending of an unfinished file's name.
    package static let temporarySuffix = ".tmp"

    private let fileSystem: any FileSystem
    private let directory: String
    private let name: String
    private let file: any StorageFile
    private var buffer: [UInt8] = []
    private let bufferSize: Int
    /// The bytes handed over so far.
    package private(set) var length: UInt64 = 0
    private var written: UInt64 = 0
    private var isSynced = false

    /// Begins the file under its temporary name. Until `publish` nothing else in the directory changes.
    package init(
        _ name: String,
        in directory: String,
        of fileSystem: any FileSystem,
        mode: FileMode,
        bufferSize: Int = 256 << 10
    ) throws(StorageError) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.name = name
        self.bufferSize = bufferSize
        file = try fileSystem.create("\(directory)/\(name)\(Self.temporarySuffix)", mode: mode)
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        isSynced = false
        if buffer.count + bytes.count > bufferSize { try writeBuffer() }
        length += UInt64(bytes.count)
        if bytes.count > bufferSize {
            try file.write(bytes, at: written)
            written += UInt64(bytes.count)
        } else {
            buffer += bytes
        }
    }

    package mutating func append(_ bytes: [UInt8]) throws(StorageError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends the first `length` bytes of a file, a piece at a time. `path` is the file's, for errors.
    package mutating func append(
        contentsOf source: any StorageFile,
        length: UInt64,
        path: String
    ) throws(StorageError) {
        var offset: UInt64 = 0
        while offset < length {
            let piece = offset..<min(offset + 1 << 20, length)
            try append(try source.bytes(in: piece, path: path))
            offset = piece.upperBound
        }
    }

    /// Makes the bytes stable under the temporary name. Without this the rename could survive a power
    /// cut that the bytes do not.
    package mutating func sync() throws(StorageError) {
        try writeBuffer()
        try file.sync()
        isSynced = true
    }

    /// Renames and syncs the directory; returns the file, open for reading and writing.
    ///
    /// When the rename fails, the temporary file is removed. When the sync of the directory fails, it is
    /// not known which file the name stands for after a power cut.
    package consuming func publish() throws(StorageError) -> any StorageFile {
        precondition(isSynced, "A file is synced before it is published.")
        let path = "\(directory)/\(name)"
        do throws(StorageError) {
            try fileSystem.rename(path + Self.temporarySuffix, to: path)
        } catch {
            throw abandon(after: error)
        }
        try fileSystem.syncDirectory(directory)
        return file
    }

    /// Removes the temporary file. One that cannot be removed is cleared by the next opening.
    package consuming func abandon() throws(StorageError) {
        _ = try fileSystem.remove("\(directory)/\(name)\(Self.temporarySuffix)")
    }

    /// Removes the temporary file and returns the error to throw, which tells if that failed too.
    package consuming func abandon(after error: StorageError) -> StorageError {
        var error = error
        do throws(StorageError) {
            try abandon()
        } catch let removal {
            error.reason += "; the unfinished file could not be removed either: \(removal.reason)"
        }
        return error
    }

    private mutating func writeBuffer() throws(StorageError) {
        guard !buffer.isEmpty else { return }
        try file.write(buffer, at: written)
        written += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }
}
