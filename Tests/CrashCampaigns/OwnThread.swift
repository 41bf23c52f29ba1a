import Dispatch

/// Runs work that takes long on a thread of its own: on the cooperative pool, which has a thread for
/// each processor, it would keep every other task waiting.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "crash campaign").async { continuation.resume(returning: body()) }
    }
}
