import LogStorage

/// Runs calls that block, one at a time, on a thread of their own, so that none of them holds a thread
/// of the cooperative pool.
actor BlockingThread {
    private let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String, _ execution: StoreExecution) {
        executor = execution.blocking(label)
    }

    func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }

    func sync(_ file: any StorageFile) -> Result<Void, StorageError> {
        Result { () throws(StorageError) in try file.sync() }
    }
}
