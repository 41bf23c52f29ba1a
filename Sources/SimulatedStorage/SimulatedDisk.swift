import Dispatch
package import LogStorage
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A disk in memory that can lose power, fail and lie.
///
/// It holds each file twice: what a process reads, and what a power cut cannot take. Writes and
/// truncations become stable with a sync of the file, names with a sync of the directory; until then
/// a power cut may leave any of them. It never harms a byte outside the range of a write.
///
/// A new disk holds the root directory alone. Relative paths start there.
///
/// Every call that changes something takes the next operation number, from 0: createDirectory,
/// create, write, truncate, sync, rename, remove, syncDirectory, whether or not it succeeds. Taking a
/// lock is exempt: the lock file has no meaning, and its name and note are stable at once.
package final class SimulatedDisk: FileSystem {
    struct State: Sendable {
        var image = DiskImage()
        var faults: [Fault] = []
        var injected: [StorageError.Operation: Int] = [:]
        var operationCount = 0
        var callCount = 0
        var trace: [DiskOperation] = []
        var powerCut: Int?
        var tearsWrite = false
        var isOff = false
        var capacity: Int?
        var locks: [Int: String] = [:]
        var openFiles = 0
        var syncs = 0
        var isStalled = false
        var stalled: [DispatchSemaphore] = []
        var whileSyncing: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    package init() {
        state = Mutex(State())
    }

    init(_ state: State) {
        self.state = Mutex(state)
    }

    /// Runs `body` alone on the state.
    @inline(__always)
    func locked<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(&state) }
    }

    // MARK: FileSystem

    package func names(in directory: String) throws(StorageError) -> [String]? {
        let path = DiskPath.normal(directory)
        return try locked { (state) throws(StorageError) in
            try state.check(.list, path)
            guard let node = try state.find(path, for: .list) else { return nil }
            guard state.image.nodes[node].isDirectory else { throw StorageError(.list, path, errno: ENOTDIR) }
            return state.image.entries.filter { $0.directory == node }.map(\.name)
        }
    }

    package func createDirectory(_ path: String, mode: FileMode) throws(StorageError) -> Bool {
        let path = DiskPath.normal(path)
        return try locked { (state) throws(StorageError) in
            let verdict = try state.begin(.createDirectory, path)
            if verdict.acts {
                if let node = try state.find(path, for: .createDirectory) {
                    guard state.image.nodes[node].isDirectory else {
                        throw StorageError(.createDirectory, path, errno: EEXIST)
                    }
                    try verdict.finish(.createDirectory, path)
                    return false
                }
                let parent = try state.parent(of: path, for: .createDirectory)
                _ = state.image.make(path, in: parent, isDirectory: true)
            }
            try verdict.finish(.createDirectory, path)
            return true
        }
    }

    package func kind(of path: String) throws(StorageError) -> FileKind? {
        let path = DiskPath.normal(path)
        return try locked { (state) throws(StorageError) in
            try state.check(.inspect, path)
            guard let node = try state.find(path, for: .inspect) else { return nil }
            return state.image.nodes[node].isDirectory ? .directory : .file
        }
    }

    package func openForReading(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try open(path, isWritable: false)
    }

    package func openForWriting(_ path: String) throws(StorageError) -> (any StorageFile)? {
        try open(path, isWritable: true)
    }

    private func open(_ path: String, isWritable: Bool) throws(StorageError) -> SimulatedFile? {
        let path = DiskPath.normal(path)
        let node = try locked { (state) throws(StorageError) -> Int? in
            try state.check(.open, path)
            guard let node = try state.find(path, for: .open) else { return nil }
            guard !state.image.nodes[node].isDirectory else { throw StorageError(.open, path, errno: EISDIR) }
            state.opened(node)
            return node
        }
        return node.map { SimulatedFile(self, node: $0, path: path, isWritable: isWritable) }
    }

    package func create(_ path: String, mode: FileMode) throws(StorageError) -> any StorageFile {
        let path = DiskPath.normal(path)
        let node = try locked { (state) throws(StorageError) in
            let verdict = try state.begin(.create, path)
            guard verdict.acts else { throw verdict.error(.create, path) }
            let node: Int
            if let existing = try state.find(path, for: .create) {
                guard !state.image.nodes[existing].isDirectory else {
                    throw StorageError(.create, path, errno: EISDIR)
                }
                state.image.withNode(existing) { if !$0.visible.isEmpty { $0.truncate(to: 0) } }
                node = existing
            } else {
                let parent = try state.parent(of: path, for: .create)
                node = state.image.make(path, in: parent, isDirectory: false)
            }
            try verdict.finish(.create, path)
            state.opened(node)
            return node
        }
        return SimulatedFile(self, node: node, path: path, isWritable: true)
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        let path = DiskPath.normal(path)
        let newPath = DiskPath.normal(newPath)
        try locked { (state) throws(StorageError) in
            let verdict = try state.begin(.rename, path, newPath: newPath)
            if verdict.acts { try state.rename(path, to: newPath) }
            try verdict.finish(.rename, path)
        }
    }

    package func remove(_ path: String) throws(StorageError) -> Bool {
        let path = DiskPath.normal(path)
        return try locked { (state) throws(StorageError) in
            let verdict = try state.begin(.remove, path)
            guard let node = try state.find(path, for: .remove) else {
                try verdict.finish(.remove, path)
                return false
            }
            guard !state.image.nodes[node].isDirectory else {
                throw StorageError(.remove, path, errno: EISDIR)
            }
            if verdict.acts {
                state.image.remove(path, in: try state.parent(of: path, for: .remove))
            }
            try verdict.finish(.remove, path)
            return true
        }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        let path = DiskPath.normal(path)
        try locked { (state) throws(StorageError) in
            let verdict = try state.begin(.syncDirectory, path)
            guard let node = try state.find(path, for: .syncDirectory) else {
                throw StorageError(.syncDirectory, path, errno: ENOENT)
            }
            guard state.image.nodes[node].isDirectory else {
                throw StorageError(.syncDirectory, path, errno: ENOTDIR)
            }
            if verdict.acts {
                state.image.syncDirectory(node)
            } else if !verdict.lies {
                state.image.dropNames(of: node)
            }
            try verdict.finish(.syncDirectory, path)
        }
    }

    package func lock(_ path: String, mode: FileMode, note: String) throws(StorageError) -> LockResult {
        let path = DiskPath.normal(path)
        let (node, holder) = try locked { (state) throws(StorageError) -> (Int, String?) in
            try state.check(.lock, path)
            let node: Int
            if let existing = try state.find(path, for: .lock) {
                guard !state.image.nodes[existing].isDirectory else {
                    throw StorageError(.lock, path, errno: EISDIR)
                }
                if let holder = state.locks[existing] { return (existing, holder) }
                node = existing
            } else {
                let parent = try state.parent(of: path, for: .lock)
                node = state.image.makeDurable(path, in: parent, isDirectory: false)
            }
            let text = Array(note.utf8)
            state.image.withNode(node) {
                $0.visible = text
                $0.durable = text
                $0.handles += 1
            }
            state.locks[node] = note
            return (node, nil)
        }
        if let holder { return .held(holder: holder) }
        return .acquired(SimulatedLock(self, node: node))
    }

    package func freeSpace(at path: String) throws(StorageError) -> UInt64 {
        let path = DiskPath.normal(path)
        return try locked { (state) throws(StorageError) in
            try state.check(.freeSpace, path)
            guard try state.find(path, for: .freeSpace) != nil else {
                throw StorageError(.freeSpace, path, errno: ENOENT)
            }
            return UInt64(max(0, (state.capacity ?? 1 << 40) - state.image.usedBytes))
        }
    }
}
