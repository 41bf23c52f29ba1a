import Dispatch
import LogStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file of a simulated disk.
final class SimulatedFile: StorageFile {
    private let disk: SimulatedDisk
    private let node: Int
    private let path: String
    private let isWritable: Bool

    init(_ disk: SimulatedDisk, node: Int, path: String, isWritable: Bool) {
        self.disk = disk
        self.node = node
        self.path = path
        self.isWritable = isWritable
    }

    deinit {
        disk.locked { $0.closed(node) }
    }

    func length() throws(StorageError) -> UInt64 {
        try disk.locked { (state) throws(StorageError) in
            try state.check(.length, path)
            return UInt64(state.image.nodes[node].visible.count)
        }
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        // The closure may not outlive the call, and does not.
        nonisolated(unsafe) let buffer = buffer
        return try disk.locked { (state) throws(StorageError) in
            try state.check(.read, path)
            return state.image.withNode(node) { file in
                guard offset < UInt64(file.visible.count) else { return 0 }
                let count = min(file.visible.count - Int(offset), buffer.count)
                file.visible.withUnsafeBytes {
                    buffer.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count])
                    )
                }
                return count
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
        nonisolated(unsafe) let bytes = bytes
        try disk.locked { (state) throws(StorageError) in
            guard isWritable else { throw StorageError(.write, path, errno: EBADF) }
            let offset = Int(offset)
            let verdict = try state.begin(.write, path, offset: offset, length: bytes.count)
            var count = bytes.count
            switch verdict {
            case .proceed, .fail(_, .done): break
            case .fail(_, .short(let limit)): count = min(limit, count)
            case .fail: count = 0
            case .tear: count /= 2
            }
            let room = state.room(for: node, offset: offset)
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<min(count, room)])
            if !part.isEmpty { state.image.withNode(node) { $0.write(part, at: offset) } }
            try verdict.finish(.write, path)
            if room < count { throw StorageError(.write, path, errno: ENOSPC) }
        }
    }

    func truncate(to length: UInt64) throws(StorageError) {
        try disk.locked { (state) throws(StorageError) in
            guard isWritable else { throw StorageError(.truncate, path, errno: EINVAL) }
            let verdict = try state.begin(.truncate, path, offset: Int(length))
            if verdict.acts {
                guard Int(length) <= state.room(for: node, offset: 0) else {
                    throw StorageError(.truncate, path, errno: ENOSPC)
                }
                state.image.withNode(node) {
                    if $0.visible.count != Int(length) { $0.truncate(to: Int(length)) }
                }
            }
            try verdict.finish(.truncate, path)
        }
    }

    func sync() throws(StorageError) {
        // A sync answers for what was written when it began, and for no more.
        let (verdict, covered, gate, meanwhile) = try disk.locked { (state) throws(StorageError) in
            let verdict = try state.begin(.sync, path)
            let covered = state.image.nodes[node].changeCount
            let meanwhile = state.whileSyncing
            guard state.isStalled else { return (verdict, covered, DispatchSemaphore?.none, meanwhile) }
            let gate = DispatchSemaphore(value: 0)
            state.stalled.append(gate)
            return (verdict, covered, gate, meanwhile)
        }
        meanwhile?()
        gate?.wait()
        try disk.locked { (state) throws(StorageError) in
            if state.isOff { throw .powerCut(.sync, path) }
            if verdict.acts {
                state.image.withNode(node) { $0.sync(first: covered) }
                state.syncs += 1
            } else if !verdict.lies {
                state.image.withNode(node) { $0.drop(first: covered) }
            }
            try verdict.finish(.sync, path)
        }
    }
}

/// A held lock of a simulated disk.
final class SimulatedLock: HeldLock {
    private let disk: SimulatedDisk
    private let node: Int

    init(_ disk: SimulatedDisk, node: Int) {
        self.disk = disk
        self.node = node
    }

    deinit {
        disk.locked {
            $0.locks[node] = nil
            $0.image.withNode(node) { $0.handles -= 1 }
        }
    }
}

extension SimulatedDisk.State {
    /// How many bytes fit behind `offset` of a file.
    func room(for node: Int, offset: Int) -> Int {
        guard let capacity else { return .max }
        let length = image.nodes[node].visible.count
        return max(0, capacity - image.usedBytes + length - offset)
    }
}
