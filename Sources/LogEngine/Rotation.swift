package import LogFormat
package import LogStorage

/// Begins the log of the next generation, between two batches and with everything before it synced.
package enum Rotation {
    package enum Failure: Error {
        /// Nothing has changed but for a temporary file, which was removed if that was possible.
        case notBegun(EngineError)
        /// The new name may or may not survive a power cut, so neither log may be appended to.
        case unknown(EngineError)
    }

    /// Makes the log that `header` describes and returns it open.
    package static func begin(
        _ header: FileHeader,
        in directory: StoreDirectory,
        mode: FileMode
    ) throws(Failure) -> any StorageFile {
        var encoder = RecordEncoder()
        encoder.appendHeader(header)
        let file = try prepare(encoder.bytes, StoreDirectory.logName(header.generation), directory, mode)
        do throws(StorageError) {
            return try file.publish()
        } catch {
            let message = """
                The log of generation \(header.generation) could not be put in its place in \(directory.path) \
                (\(error.reason)). Close the store and open it again; reads go on until then.
                """
            throw .unknown(EngineError(.poisoned, message, cause: error))
        }
    }

    private static func prepare(
        _ bytes: [UInt8],
        _ name: String,
        _ directory: StoreDirectory,
        _ mode: FileMode
    ) throws(Failure) -> AtomicReplace {
        var file: AtomicReplace
        do throws(StorageError) {
            file = try AtomicReplace(name, in: directory.path, of: directory.fileSystem, mode: mode)
        } catch {
            throw .notBegun(EngineError(error))
        }
        do throws(StorageError) {
            try file.append(bytes)
            try file.sync()
            return file
        } catch {
            throw .notBegun(abandoning(file, after: EngineError(error)))
        }
    }
}

/// Removes an unfinished file and returns the error to throw. One that cannot be removed either is
/// cleared by the next opening.
func abandoning(_ file: consuming AtomicReplace, after error: EngineError) -> EngineError {
    var error = error
    do throws(StorageError) {
        try file.abandon()
    } catch let removal {
        error.message += " The unfinished file could not be removed either: \(removal.reason)."
    }
    return error
}
