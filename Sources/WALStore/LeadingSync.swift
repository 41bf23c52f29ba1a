import LogEngine
import LogStorage
import Synchronization

/// A sync that a saver runs itself, on the thread it has: a hop to another thread and back would cost
/// a third of the time again.
struct LeadingSync: Sendable {
    /// The right to block a thread of the cooperative pool: one at a time in a process, and none where
    /// the pool has a single thread. It ends with the last reference.
    final class Permit: Sendable {
        private static let isTaken = Atomic(false)
        private static let poolHasThreads = ProcessorCount.current > 1

        /// Whether it counts in the process, else a test has given it.
        private let isCounted: Bool

        private init(isCounted: Bool) {
            self.isCounted = isCounted
        }

        /// Nil when another sync blocks a thread, or when the task has asked for an executor of its
        /// own, which may be an event loop that must not wait.
        static func take(_ execution: StoreExecution) -> Permit? {
            if let mayLead = execution.mayLead { return mayLead() ? Permit(isCounted: false) : nil }
            guard poolHasThreads, hasDefaultExecutor else { return nil }
            let (taken, _) = isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring)
            return taken ? Permit(isCounted: true) : nil
        }

        private static var hasDefaultExecutor: Bool {
            withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil }
        }

        deinit {
            if isCounted { Self.isTaken.store(false, ordering: .releasing) }
        }
    }

    let file: any StorageFile
    let point: LogAppender.SyncPoint
    private let permit: Permit

    init(file: any StorageFile, point: LogAppender.SyncPoint, permit: Permit) {
        self.file = file
        self.point = point
        self.permit = permit
    }

    func run() -> Result<Void, StorageError> {
        Result { () throws(StorageError) in try file.sync() }
    }
}
