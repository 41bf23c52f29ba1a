import Dispatch

/// A thread of its own for calls that block, so that no sync ever holds a thread of the cooperative
/// pool or stands before a read.
///
/// An actor that runs on it may block: nothing else does.
package final class SyncExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}
