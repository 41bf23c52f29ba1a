import TestSupport

/// A system call that does not do what it should, as `strace` can make it.
package struct SystemCallFault: CustomStringConvertible, Sendable {
    package enum Effect: Hashable, Sendable {
        /// The process dies at the call, which does nothing.
        case kill
        /// The call does nothing and returns this error.
        case error(String)
        /// This call and all later ones do nothing and say that they have done it.
        case lie
    }

    /// Calls by the name that people know; a system may have others for the same.
    package enum Call: String, CaseIterable, Sendable {
        case pwrite64, write, fdatasync, fsync, rename, openat, ftruncate, unlink, mkdir, pread64, flock,
            getdents64

        fileprivate var names: String {
            switch self {
            case .rename: "?rename,?renameat,?renameat2"
            case .unlink: "?unlink,?unlinkat"
            case .mkdir: "?mkdir,?mkdirat"
            default: rawValue
            }
        }

        /// How often a thread makes it in a short life, about.
        var usualCount: Int {
            switch self {
            case .pwrite64, .write: 16
            case .fdatasync, .openat, .pread64: 10
            case .fsync, .getdents64: 5
            case .rename: 3
            case .unlink, .mkdir, .ftruncate: 2
            case .flock: 1
            }
        }

        /// Whether its failure is one of the store and not of what the writer says.
        var isOfStore: Bool { self != .write }

        /// Whether a signal can interrupt it before it has done anything.
        var isInterruptible: Bool {
            switch self {
            case .pwrite64, .fdatasync, .fsync, .openat, .ftruncate, .pread64, .flock: true
            case .write, .rename, .unlink, .mkdir, .getdents64: false
            }
        }
    }

    package var call: Call
    package var effect: Effect
    /// From 1: the how manieth such call of a thread on the store's files it is.
    package var number: Int

    package init(_ call: Call, _ effect: Effect, at number: Int) {
        self.call = call
        self.effect = effect
        self.number = number
    }

    package var description: String { "\(effect) at \(call.rawValue) \(number)" }

    /// What tells `strace` so. Only the files of the store in `directory` count, so that the calls of the
    /// dynamic linker are left alone; for what the writer says, all files.
    func options(_ directory: String) -> [String] {
        let effect =
            switch effect {
            case .kill: "signal=KILL:when=\(number)"
            case .error(let name): "error=\(name):when=\(number)"
            case .lie: "retval=0:when=\(number)+"
            }
        let paths = call == .write ? [] : Self.paths(directory).flatMap { ["-P", $0] }
        return ["-e", "trace=\(call.names)", "-e", "inject=\(call.names):\(effect)"] + paths
    }

    private static func paths(_ directory: String) -> [String] {
        let store = "\(directory)/data.wal"
        let files = (1...60).flatMap { generation in
            ["log", "snapshot"].flatMap { kind in
                let digits = generation < 10 ? "0\(generation)" : "\(generation)"
                let name = "\(store)/\(kind)-00000000\(digits).jsonl"
                return [name, "\(name).tmp"]
            }
        }
        return [directory, store, "\(store)/lock", "\(store)/quarantine"] + files
    }
}
