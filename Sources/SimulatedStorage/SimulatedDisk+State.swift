package import LogStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What becomes of one operation.
enum OperationVerdict: Sendable {
    case proceed
    case fail(code: Int32, effect: Fault.Effect)
    /// The machine loses power in the middle of this write.
    case tear

    /// Whether all of it is done, whatever is said of it.
    var acts: Bool {
        switch self {
        case .proceed, .fail(_, .done): true
        case .fail, .tear: false
        }
    }

    var lies: Bool {
        if case .fail(_, .lie) = self { true } else { false }
    }

    /// Throws what the caller is to hear.
    func finish(_ kind: StorageError.Operation, _ path: String) throws(StorageError) {
        switch self {
        case .proceed, .fail(_, .lie): return
        case .fail, .tear: throw error(kind, path)
        }
    }

    func error(_ kind: StorageError.Operation, _ path: String) -> StorageError {
        switch self {
        case .fail(let code, _): StorageError(kind, path, errno: code)
        case .proceed, .tear: .powerCut(kind, path)
        }
    }
}

extension SimulatedDisk.State {
    // MARK: Counting and faults

    /// Counts a call that changes nothing, and fails it if a fault wants that.
    mutating func check(_ kind: StorageError.Operation, _ path: String) throws(StorageError) {
        if isOff { throw .powerCut(kind, path) }
        let verdict = fault(for: kind, path, operation: nil)
        callCount += 1
        if let verdict { throw verdict.error(kind, path) }
    }

    /// Counts an operation that changes something and says what becomes of it.
    mutating func begin(
        _ kind: StorageError.Operation,
        _ path: String,
        offset: Int = 0,
        length: Int = 0,
        newPath: String? = nil
    ) throws(StorageError) -> OperationVerdict {
        if isOff { throw .powerCut(kind, path) }
        let operation = operationCount
        if let powerCut, operation >= powerCut {
            isOff = true
            guard kind == .write, tearsWrite else { throw .powerCut(kind, path) }
            return .tear
        }
        operationCount += 1
        trace.append(
            DiskOperation(kind: kind, path: path, offset: offset, length: length, newPath: newPath)
        )
        let verdict = fault(for: kind, path, operation: operation)
        callCount += 1
        return verdict ?? .proceed
    }

    private mutating func fault(
        for kind: StorageError.Operation,
        _ path: String,
        operation: Int?
    ) -> OperationVerdict? {
        guard !faults.isEmpty else { return nil }
        var verdict: OperationVerdict?
        // Every fault sees every call, or its count would depend on the others.
        for index in faults.indices
        where faults[index].strikes(kind, path, operation: operation, call: callCount) && verdict == nil {
            verdict = .fail(code: faults[index].code, effect: faults[index].effect)
        }
        if verdict != nil { injected[kind, default: 0] += 1 }
        return verdict
    }

    // MARK: Names

    /// The node with that name, or nil when it is missing; a file on the way to it is an error.
    func find(_ path: String, for kind: StorageError.Operation) throws(StorageError) -> Int? {
        if let node = image.node(at: path) { return node }
        var parent = DiskPath.parent(of: path)
        while parent != "/" {
            if let node = image.node(at: parent), !image.nodes[node].isDirectory {
                throw StorageError(kind, path, errno: ENOTDIR)
            }
            parent = DiskPath.parent(of: parent)
        }
        return nil
    }

    /// The directory that holds the name.
    func parent(of path: String, for kind: StorageError.Operation) throws(StorageError) -> Int {
        guard let parent = image.node(at: DiskPath.parent(of: path)) else {
            throw StorageError(kind, path, errno: ENOENT)
        }
        return parent
    }

    mutating func rename(_ path: String, to newPath: String) throws(StorageError) {
        guard let node = try find(path, for: .rename) else {
            throw StorageError(.rename, path, errno: ENOENT)
        }
        let directory = try parent(of: path, for: .rename)
        guard try parent(of: newPath, for: .rename) == directory, !image.nodes[node].isDirectory else {
            // Outside the contract, which knows only files that stay in their directory.
            throw StorageError(.rename, path, errno: EXDEV)
        }
        if let old = image.node(at: newPath), image.nodes[old].isDirectory {
            throw StorageError(.rename, path, errno: EISDIR)
        }
        if path != newPath { image.rename(path, to: newPath, in: directory, node: node) }
    }

    // MARK: Open files

    mutating func opened(_ node: Int) {
        openFiles += 1
        image.withNode(node) { $0.handles += 1 }
    }

    mutating func closed(_ node: Int) {
        openFiles -= 1
        image.withNode(node) { $0.handles -= 1 }
    }
}

extension StorageError {
    private static let powerCutCode: Int32 = -1

    static func powerCut(_ operation: Operation, _ path: String) -> StorageError {
        StorageError(operation, path, code: powerCutCode, reason: "the machine is off")
    }

    /// Whether a simulated disk threw it because its power was cut.
    package var isPowerCut: Bool { code == Self.powerCutCode }
}
