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

        private init() {}

        /// Nil when another sync blocks a thread, or when the task has asked for an executor of its
        /// own, which may be an event loop that must not wait.
        static func take() -> Permit? {
            guard poolHasThreads, hasDefaultExecutor else { return nil }
            let (taken, _) = isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring)
            return taken ? Permit() : nil
        }

        private static var hasDefaultExecutor: Bool {
            withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil }
        }

        deinit {
            Self.isTaken.store(false, ordering: .releasing)
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
