import LogStorage

/// Runs syncs on a thread of its own.
actor SyncThread {
    private let executor: SyncExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) {
        executor = SyncExecutor(label: label)
    }

    func sync(_ file: any StorageFile) -> Result<Void, StorageError> {
        Result { () throws(StorageError) in try file.sync() }
    }
}

/// Runs an opening on a thread of its own, so that it blocks none of the cooperative pool.
actor OpeningThread {
    private let executor = SyncExecutor(label: "WALStore opening")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try body()
    }
}
