import Dispatch
package import LogStorage

extension SimulatedDisk {
    // MARK: Faults

    package func inject(_ fault: Fault) {
        locked { $0.faults.append(fault) }
    }

    /// Short for `inject`.
    package func fail(
        _ moment: Fault.Moment,
        code: Int32,
        effect: Fault.Effect = .nothing,
        file: String? = nil
    ) {
        inject(Fault(moment, code: code, effect: effect, file: file))
    }

    /// From now on nothing fails that is not told to again.
    package func clearFaults() {
        locked { $0.faults = [] }
    }

    /// How many calls a fault has really struck, by kind.
    package var injectedFaults: [StorageError.Operation: Int] {
        locked { $0.injected }
    }

    package var injectedFaultCount: Int {
        injectedFaults.values.reduce(0, +)
    }

    /// The bytes that all files together may have; nil for no limit. A write beyond it puts down what
    /// fits and fails with ENOSPC.
    package var capacity: Int? {
        get { locked { $0.capacity } }
        set { locked { $0.capacity = newValue } }
    }

    package var usedBytes: Int {
        locked { $0.image.usedBytes }
    }

    // MARK: Power

    /// The machine goes off before operation `index` does anything; with `tearsWrite`, if that is a
    /// write, in the middle of it. From then on every call throws an error that says `isPowerCut`.
    package func cutPower(beforeOperation index: Int, tearsWrite: Bool = false) {
        locked {
            $0.powerCut = index
            $0.tearsWrite = tearsWrite
        }
    }

    /// The machine goes off at once.
    package func cutPower() {
        locked { $0.isOff = true }
    }

    package var isOff: Bool {
        locked { $0.isOff }
    }

    // MARK: Counters

    /// How many operations that change something there were: the number that the next one gets.
    package var operationCount: Int {
        locked { $0.operationCount }
    }

    /// How many calls of any kind there were: the number that the next one gets.
    package var callCount: Int {
        locked { $0.callCount }
    }

    /// The operations, in order: number k is operation k.
    package var operations: [DiskOperation] {
        locked { $0.trace }
    }

    /// The operations as text, for the message of a failing test.
    package var trace: [String] {
        operations.enumerated().map { "#\($0.offset) \($0.element)" }
    }

    /// How many syncs of files made something stable or had nothing to do.
    package var syncCount: Int {
        locked { $0.syncs }
    }

    package var openFileCount: Int {
        locked { $0.openFiles }
    }

    package var heldLockCount: Int {
        locked { $0.locks.count }
    }

    // MARK: Stalled syncs

    /// From now on a sync of a file blocks its thread until `releaseSyncs`.
    package func stallSyncs() {
        locked { $0.isStalled = true }
    }

    /// Lets the waiting syncs and all later ones through.
    package func releaseSyncs() {
        let waiting = locked { (state) -> [DispatchSemaphore] in
            defer { state.stalled = [] }
            state.isStalled = false
            return state.stalled
        }
        for gate in waiting { gate.signal() }
    }

    /// How many syncs wait.
    package var stalledSyncCount: Int {
        locked { $0.stalled.count }
    }

    /// Calls `body` in the midst of every sync of a file, on its thread: what the sync answers for is
    /// settled by then, and nothing is stable yet.
    package func whileSyncing(_ body: (@Sendable () -> Void)?) {
        locked { $0.whileSyncing = body }
    }

    /// Returns once so many syncs wait.
    package func waitForStalledSyncs(_ count: Int = 1) async throws {
        while stalledSyncCount < count { try await Task.sleep(for: .milliseconds(1)) }
    }
}
