import Foundation
import Synchronization

/// Threads for the calls of the peers, which block; the project's run in tasks.
enum Threads {
    /// Runs `body` on so many threads at once and returns when all have ended; throws the first error.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
        let shared = Shared(count)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            for index in 0..<count {
                Thread {
                    do {
                        try body(index)
                    } catch {
                        shared.failure.withLock { $0 = $0 ?? error }
                    }
                    if shared.running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                        continuation.resume()
                    }
                }.start()
            }
        }
        if let error = shared.failure.withLock({ $0 }) { throw error }
    }

    /// Runs `body` on one thread and returns its value.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    private final class Shared: Sendable {
        let failure = Mutex<(any Error)?>(nil)
        let running: Atomic<Int>

        init(_ count: Int) {
            running = Atomic(count)
        }
    }
}
