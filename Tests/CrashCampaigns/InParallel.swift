import Dispatch
import Synchronization

/// What `body` gives for each number below `count`, in their order; it runs on all processors.
func inParallel<Value: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Value) -> [Value] {
    let values = Mutex([Value?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { index in
        let value = body(index)
        values.withLock { $0[index] = value }
    }
    return values.withLock { $0.compactMap(\.self) }
}
