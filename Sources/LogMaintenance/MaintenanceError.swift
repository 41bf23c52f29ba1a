import LogEngine
package import LogInspection
import LogStorage

/// Why a command could not do its work.
package struct MaintenanceError: Error, Sendable {
    package var code: ExitCode
    /// Whole sentences with the place and the way out.
    package var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: StorageError) {
        self.init(.inputOutput, error.description)
    }

    init(_ error: InspectionError) {
        self.init(error.exitCode, error.description)
    }

    init(_ error: EngineError) {
        let code: ExitCode =
            switch error.code {
            case .corruption: .corruption
            case .newerFormat: .newerFormat
            case .inUse: .inUse
            case .filesMissing: .noStore
            case .targetExists: .cannotCreate
            case .io, .recordTooLarge, .numbersExhausted, .outcomeUnknown, .poisoned, .closed, .cancelled:
                .inputOutput
            }
        self.init(code, error.message)
    }
}

func engine<Result>(_ body: () throws(EngineError) -> Result) throws(MaintenanceError) -> Result {
    do throws(EngineError) {
        return try body()
    } catch {
        throw MaintenanceError(error)
    }
}

func storage<Result>(_ body: () throws(StorageError) -> Result) throws(MaintenanceError) -> Result {
    do throws(StorageError) {
        return try body()
    } catch {
        throw MaintenanceError(error)
    }
}

func inspection<Result>(_ body: () throws(InspectionError) -> Result) throws(MaintenanceError) -> Result {
    do throws(InspectionError) {
        return try body()
    } catch {
        throw MaintenanceError(error)
    }
}
