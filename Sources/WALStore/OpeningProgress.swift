import LogEngine
import Synchronization

import class Foundation.Progress

/// Tells a `Progress` how far an opening has come, and ends it when that is cancelled.
///
/// The unit is a byte of the files. Each is read and then decoded, so it counts twice.
final class OpeningProgress: OpeningWatch {
    private let progress: Progress
    private let store: String
    /// The bytes of the files, and the units that are done.
    private let counts = Mutex((bytes: UInt64(0), done: UInt64(0)))

    init(_ progress: Progress, store: String) {
        self.progress = progress
        self.store = store
    }

    /// - Throws: `.cancelled` once the progress was cancelled.
    func check() throws(EngineError) {
        guard progress.isCancelled else { return }
        throw EngineError(.cancelled, "The opening of \(store) was cancelled. Nothing was changed.")
    }

    func willRead(_ bytes: UInt64) {
        counts.withLock { counts in
            counts = (bytes, 0)
            progress.totalUnitCount = Int64(clamping: max(1, bytes * 2))
        }
    }

    func didRead(_ bytes: Int) throws(EngineError) {
        try check()
        // A damaged snapshot that is made anew lets more be read than was foreseen.
        advance { counts in min(counts.done + UInt64(bytes), counts.bytes) }
    }

    /// So many of all items were decoded.
    func didDecode(_ count: Int, of all: Int) throws(EngineError) {
        try check()
        advance { counts in counts.done + UInt64(Double(counts.bytes) * Double(count) / Double(all)) }
    }

    /// So many bytes in all were read and decoded.
    func didTakeIn(_ bytes: UInt64) throws(EngineError) {
        try check()
        advance { _ in bytes * 2 }
    }

    /// The store is open.
    func finish() {
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
        progress.completedUnitCount = progress.totalUnitCount
    }

    private func advance(_ done: ((bytes: UInt64, done: UInt64)) -> UInt64) {
        counts.withLock { counts in
            counts.done = min(done(counts), counts.bytes * 2)
            progress.completedUnitCount = Int64(clamping: counts.done)
        }
    }
}
