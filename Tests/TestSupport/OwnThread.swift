import Foundation

/// Runs what blocks or takes long on a thread of its own: on the cooperative pool, which has a thread for
/// each processor, it would keep every other task waiting, or wait itself for minutes while others have them.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
