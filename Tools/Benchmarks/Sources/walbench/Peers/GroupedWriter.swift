import Foundation
import Synchronization

/// Group commit on top of a peer that has none: one thread commits, as one batch, whatever the callers
/// have queued while it was busy.
final class GroupedWriter: Sendable {
    /// A save that waits for its commit.
    private final class Waiting: Sendable {
        let id: String
        let value: Data
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)

        init(_ id: String, _ value: Data) {
            self.id = id
            self.value = value
        }
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isEnded = false
    }

    private let peer: any Peer
    private let queue = Mutex(Queue())
    private let arrived = DispatchSemaphore(value: 0)

    init(_ peer: any Peer) {
        self.peer = peer
        Thread { self.write() }.start()
    }

    /// Ends the thread once it has committed what is queued.
    func end() {
        queue.withLock { $0.isEnded = true }
        arrived.signal()
    }

    func put(_ id: String, _ value: Data) throws {
        let waiting = Waiting(id, value)
        let isFirst = queue.withLock { queue in
            queue.waiting.append(waiting)
            return queue.waiting.count == 1
        }
        if isFirst { arrived.signal() }
        waiting.done.wait()
        if let error = waiting.failure.withLock({ $0 }) { throw error }
    }

    private func write() {
        while true {
            arrived.wait()
            let (group, isEnded) = queue.withLock { queue in
                defer { queue.waiting = [] }
                return (queue.waiting, queue.isEnded)
            }
            if !group.isEmpty { commit(group) }
            if isEnded { return }
        }
    }

    private func commit(_ group: [Waiting]) {
        do {
            try peer.put(contentsOf: group.map { ($0.id, $0.value) })
        } catch {
            for waiting in group { waiting.failure.withLock { $0 = error } }
        }
        for waiting in group { waiting.done.signal() }
    }
}
