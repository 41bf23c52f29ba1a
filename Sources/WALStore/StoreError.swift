import LogEngine
import LogStorage

/// Why a store could not be opened or a call could not be carried out.
///
/// `message` is whole sentences that name the file, the place or the id and the way out. No error takes
/// back what was acknowledged; under `.written` a power cut may, as always.
///
/// ```swift
/// do {
///     try await repository.save(newQuestion)
/// } catch let error as StoreError where error.code == .diskFull {
///     print("Make room and try again: \(error.message)")
/// }
/// ```
public struct StoreError: Error, Sendable {
    /// The kind of failure, to decide by. New kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The operating system failed a call. Nothing changed, unless the message says otherwise.
        public static let io = Code("io")
        /// There is no room for the record; nothing changed. Saving works again once there is.
        public static let diskFull = Code("diskFull")
        /// The files are damaged in a way that no crash explains. Nothing was changed.
        public static let corruption = Code("corruption")
        /// A file was written by a later version. Nothing was changed.
        public static let newerFormat = Code("newerFormat")
        /// Another opener, in this process or another, has the store.
        public static let inUse = Code("inUse")
        /// The directory holds what is left of a store whose files are gone.
        public static let filesMissing = Code("filesMissing")
        /// The file name cannot name a store.
        public static let invalidFilename = Code("invalidFilename")
        /// Something is at the store's path that is no directory.
        public static let notADirectory = Code("notADirectory")
        /// The id does not encode as a JSON string or integer.
        public static let unsupportedID = Code("unsupportedID")
        /// The item cannot be encoded. Nothing was written.
        public static let encodingFailed = Code("encodingFailed")
        /// The record is larger than the configuration allows. Nothing was written.
        public static let recordTooLarge = Code("recordTooLarge")
        /// A record cannot be decoded as the item type. Nothing was changed.
        public static let undecodable = Code("undecodable")
        /// Two live records have ids that are equal in Swift. Nothing was changed.
        public static let ambiguousID = Code("ambiguousID")
        /// The plain JSON file to import cannot be. It was not changed, and no store was made.
        public static let importFailed = Code("importFailed")
        /// A sync failed: what was being saved may or may not be there when the store is opened again.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// An earlier failure has ended writing. Reads go on; close the store and open it again.
        public static let poisoned = Code("poisoned")
        /// What was asked for lies before what the retention has kept.
        public static let historyGone = Code("historyGone")
        /// A change inside `update` gave the item another id. Nothing was written.
        public static let idChanged = Code("idChanged")
        /// Where something new is to be made, something is.
        public static let targetExists = Code("targetExists")
        /// The store was closed.
        public static let closed = Code("closed")
        /// The task or the opening was cancelled before anything was written. `cause` is a
        /// `CancellationError`.
        public static let cancelled = Code("cancelled")
        /// The store has used the last sequence number of its format.
        public static let numbersExhausted = Code("numbersExhausted")
    }

    /// The kind of failure, to decide by.
    public let code: Code
    /// Whole sentences with the file, the place or the id, and the way out.
    public let message: String
    /// The error below this one, if there is one.
    public let cause: (any Error)?

    /// For tests and for conformances to `Repository` of your own.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    init(_ error: EngineError) {
        code =
            switch error.code {
            case .io: error.cause?.isFullDisk == true ? .diskFull : .io
            case .corruption: .corruption
            case .newerFormat: .newerFormat
            case .inUse: .inUse
            case .filesMissing: .filesMissing
            case .recordTooLarge: .recordTooLarge
            case .numbersExhausted: .numbersExhausted
            case .outcomeUnknown: .outcomeUnknown
            case .poisoned: .poisoned
            case .closed: .closed
            case .targetExists: .targetExists
            case .cancelled: .cancelled
            }
        message = error.message
        cause = error.code == .cancelled ? CancellationError() : error.cause
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String { "\(message) [\(code)]" }
}

/// Runs engine calls and turns their error into the public one.
func engine<Result>(_ body: () throws(EngineError) -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}

/// Runs storage calls and turns their error into the public one.
func storage<Result>(_ body: () throws(StorageError) -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch {
        throw StoreError(EngineError(error))
    }
}
