import LogStorage

/// Runs calls that block, one at a time, on a thread of their own, so that none of them holds a thread
/// of the cooperative pool.
actor BlockingThread {
    private let executor: SyncExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) {
        executor = SyncExecutor(label: label)
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
