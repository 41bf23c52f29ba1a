package import LogStorage

/// Why a command could not do its work. Damage is no such reason: it is a finding.
package enum InspectionError: Error, Sendable {
    /// There is no store at the path; a sentence that says what is there instead.
    case noStore(String)
    /// What was asked for is not in the store; a sentence.
    case notFound(String)
    /// What the store holds cannot be shown as asked for; a sentence that says how else.
    case unfit(String)
    case storage(StorageError)
    /// A file vanished or became shorter while it was read.
    case changed(path: String)
    /// The faults seen were other ones at each look.
    case unsettled(directory: String)
    /// Nobody reads the output any longer.
    case brokenPipe
    /// Someone asked the tool to stop.
    case interrupted

    package var exitCode: ExitCode {
        switch self {
        case .noStore: .noStore
        case .notFound: .notFound
        case .unfit: .usage
        case .storage, .changed, .unsettled: .inputOutput
        case .brokenPipe: .sound
        case .interrupted: .interrupted
        }
    }
}

extension InspectionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noStore(let message), .notFound(let message), .unfit(let message): message
        case .storage(let error): error.description
        case .changed(let path): "\(path) changed while it was read, at every try."
        case .unsettled(let directory):
            "\(directory) changed between every two looks at it, so its faults could not be told from "
                + "appends in flight. Try again when its writer is less busy."
        case .brokenPipe: "Nobody reads the output."
        case .interrupted: "Interrupted."
        }
    }
}

/// Runs file operations and passes their failure on as a reason of this module.
func storage<Result>(_ body: () throws(StorageError) -> Result) throws(InspectionError) -> Result {
    do throws(StorageError) {
        return try body()
    } catch {
        throw .storage(error)
    }
}
