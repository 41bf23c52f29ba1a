package import LogStorage

/// Why the engine refused or failed; the product turns it into its public error.
package struct EngineError: Error, Sendable {
    package enum Code: Sendable {
        /// The operating system failed a call; `cause` has it.
        case io
        /// Damage that no crash explains.
        case corruption
        /// A file from a later format.
        case newerFormat
        /// Another opener holds the lock.
        case inUse
        /// The store's files are gone, but its quarantine is not.
        case filesMissing
        /// A record is over the configured size.
        case recordTooLarge
        /// The last number that the format allows is used up.
        case numbersExhausted
        /// A sync failed; what it was to make stable may or may not be.
        case outcomeUnknown
        /// An earlier failure has ended writing until the store is opened again.
        case poisoned
        case closed
        /// Where a new store is to be made, something is.
        case targetExists
        /// Whoever asked for it wants it no more.
        case cancelled
    }

    package var code: Code
    /// A whole sentence, or several, with the file, the place and the way out.
    package var message: String
    package var cause: StorageError?
    package var corruption: Corruption?

    package init(
        _ code: Code,
        _ message: String,
        cause: StorageError? = nil,
        corruption: Corruption? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.corruption = corruption
    }

    package init(_ error: StorageError) {
        self.init(.io, error.description, cause: error)
    }

    package init(_ corruption: Corruption, in directory: String) {
        let message = """
            \(directory)/\(corruption.file) is damaged at line \(corruption.line), byte \(corruption.offset): \
            \(corruption.reason). No crash leaves that, so nothing was changed. \
            "walstore verify" shows all faults; "walstore repair --out DIRECTORY" saves every sound record \
            into a new store.
            """
        self.init(.corruption, message, corruption: corruption)
    }
}

/// Damage that no crash explains, and where it is.
package struct Corruption: Error, Hashable, Sendable {
    /// The file's name in the store's directory.
    package var file: String
    /// From 1; 0 when the whole file is meant.
    package var line: UInt64
    /// In bytes.
    package var offset: UInt64
    /// In bytes; 0 when nothing is there that could be measured.
    package var length: UInt64
    /// What is wrong, as a clause without a full stop.
    package var reason: String

    package init(file: String, line: UInt64, offset: UInt64, length: UInt64, reason: String) {
        self.file = file
        self.line = line
        self.offset = offset
        self.length = length
        self.reason = reason
    }
}

/// Runs I/O and turns its error into the engine's.
func io<Result>(_ body: () throws(StorageError) -> Result) throws(EngineError) -> Result {
    do {
        return try body()
    } catch {
        throw EngineError(error)
    }
}
