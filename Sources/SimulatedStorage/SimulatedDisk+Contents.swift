package import LogStorage

extension SimulatedDisk {
    /// What a process would read; nil when no file has the name.
    package func contents(of path: String) -> [UInt8]? {
        let path = DiskPath.normal(path)
        return locked { $0.image.node(at: path).map { [image = $0.image] in image.nodes[$0].visible } }
    }

    /// What a power cut cannot take; nil when it may take the name.
    package func durableContents(of path: String) -> [UInt8]? {
        let path = DiskPath.normal(path)
        return locked { $0.image.durableNode(at: path).map { [image = $0.image] in image.nodes[$0].durable } }
    }

    /// Gives a file these bytes, and it and the directories above it their names, all stable at once
    /// and without an operation number.
    package func setContents(_ path: String, _ bytes: [UInt8]) {
        let path = DiskPath.normal(path)
        locked { state in
            let node = state.makeDurable(path, isDirectory: false)
            state.image.withNode(node) {
                $0 = DiskNode(
                    isDirectory: false,
                    visible: bytes,
                    durable: bytes,
                    changesBefore: $0.changeCount,
                    handles: $0.handles
                )
            }
        }
    }

    /// Makes a directory and those above it, stable at once.
    package func addDirectory(_ path: String) {
        let path = DiskPath.normal(path)
        _ = locked { $0.makeDurable(path, isDirectory: true) }
    }

    /// Takes a file's name away, stable at once.
    package func removeContents(_ path: String) {
        let path = DiskPath.normal(path)
        locked { $0.image.forget(path) }
    }

    /// The paths of all files, in order of their bytes.
    package var paths: [String] {
        locked { state in
            state.image.entries.filter { !state.image.nodes[$0.node].isDirectory }.map(\.path).sorted()
        }
    }

    /// The names in a directory, sorted; empty when it is missing. It counts as no call.
    package func sortedNames(in directory: String) -> [String] {
        let path = DiskPath.normal(directory)
        return locked { state in
            guard let node = state.image.node(at: path) else { return [] }
            return state.image.entries.filter { $0.directory == node }.map(\.name).sorted()
        }
    }

    /// All files with their bytes.
    package var files: [String: [UInt8]] {
        locked { state in
            var files: [String: [UInt8]] = [:]
            for entry in state.image.entries where !state.image.nodes[entry.node].isDirectory {
                files[entry.path] = state.image.nodes[entry.node].visible
            }
            return files
        }
    }

    /// Copies a directory of another file system, with all below it, to `path`; all of it stable.
    package func load(_ directory: String, of fileSystem: any FileSystem, to path: String) throws {
        guard let names = try fileSystem.names(in: directory) else {
            throw StorageError(.list, directory, code: 0, reason: "there is no such directory")
        }
        addDirectory(path)
        for name in names.sorted() {
            let source = "\(directory)/\(name)"
            if try fileSystem.kind(of: source) == .directory {
                try load(source, of: fileSystem, to: "\(path)/\(name)")
            } else if let file = try fileSystem.openForReading(source) {
                setContents("\(path)/\(name)", try file.bytes(in: 0..<file.length(), path: source))
            }
        }
    }

    /// Copies a directory of this disk, with all below it, to another file system.
    package func save(_ directory: String, to path: String, of fileSystem: any FileSystem) throws {
        _ = try fileSystem.createDirectory(path, mode: .privateDirectory)
        for name in sortedNames(in: directory) {
            let source = "\(directory)/\(name)"
            if try kind(of: source) == .directory {
                try save(source, to: "\(path)/\(name)", of: fileSystem)
            } else {
                let file = try fileSystem.create("\(path)/\(name)", mode: .privateFile)
                try file.write(contents(of: source) ?? [], at: 0)
            }
        }
    }

    /// A second disk with the same files, unsynced changes, faults and counters. No file of it is open
    /// and no lock on it is held.
    package func copy() -> SimulatedDisk {
        SimulatedDisk(
            locked { state in
                var copy = state
                copy.image = state.image.withoutHandles()
                copy.locks = [:]
                copy.openFiles = 0
                copy.isStalled = false
                copy.stalled = []
                return copy
            }
        )
    }
}

extension SimulatedDisk.State {
    /// The node with that name, which is made with all above it where it is missing.
    fileprivate mutating func makeDurable(_ path: String, isDirectory: Bool) -> Int {
        if let node = image.node(at: path) {
            image.settleName(path, node: node)
            return node
        }
        let parent = makeDurable(DiskPath.parent(of: path), isDirectory: true)
        return image.makeDurable(path, in: parent, isDirectory: isDirectory)
    }
}
