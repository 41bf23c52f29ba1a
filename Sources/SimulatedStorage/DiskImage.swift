/// The files and names of a simulated disk. A value, so that a copy is a second disk.
struct DiskImage: Sendable {
    static let root = 0

    private(set) var nodes = [DiskNode(isDirectory: true)]
    private(set) var entries: [DirectoryEntry] = []
    private(set) var durableEntries: [DirectoryEntry] = []
    private(set) var nameChanges: [NameChange] = []
    private var unused: [Int] = []

    init() {}

    // MARK: Reading

    /// The node with that name, or nil.
    func node(at path: String) -> Int? {
        for entry in entries where entry.path == path { return entry.node }
        return path == "/" ? Self.root : nil
    }

    func durableNode(at path: String) -> Int? {
        for entry in durableEntries where entry.path == path { return entry.node }
        return path == "/" ? Self.root : nil
    }

    /// The bytes that the files take: those with a name, and those that are open without one.
    var usedBytes: Int {
        var sum = 0
        for node in nodes.indices
        where nodes[node].handles > 0 || entries.contains(where: { $0.node == node }) {
            sum += nodes[node].visible.count
        }
        return sum
    }

    // MARK: Bytes

    /// Changes a node in place.
    @inline(__always)
    mutating func withNode<Result>(_ node: Int, _ body: (inout DiskNode) -> Result) -> Result {
        body(&nodes[node])
    }

    // MARK: Names

    /// Makes a node under a new name in a directory.
    mutating func make(_ path: String, in directory: Int, isDirectory: Bool) -> Int {
        let node = newNode(isDirectory: isDirectory)
        let entry = DirectoryEntry(path: path, directory: directory, node: node)
        entries.append(entry)
        nameChanges.append(NameChange(.link(entry), in: directory))
        return node
    }

    /// The same, stable at once.
    mutating func makeDurable(_ path: String, in directory: Int, isDirectory: Bool) -> Int {
        let node = newNode(isDirectory: isDirectory)
        let entry = DirectoryEntry(path: path, directory: directory, node: node)
        entries.append(entry)
        durableEntries.removeAll { $0.path == path }
        durableEntries.append(entry)
        return node
    }

    /// Makes the name stable that a node has.
    mutating func settleName(_ path: String, node: Int) {
        guard node != Self.root, let entry = entries.first(where: { $0.path == path }) else { return }
        nameChanges.removeAll { $0.names.0 == path || $0.names.1 == path }
        durableEntries.removeAll { $0.path == path || $0.node == node }
        durableEntries.append(entry)
    }

    /// Takes a name away, stable at once.
    mutating func forget(_ path: String) {
        nameChanges.removeAll { $0.names.0 == path || $0.names.1 == path }
        entries.removeAll { $0.path == path }
        durableEntries.removeAll { $0.path == path }
    }

    mutating func rename(_ path: String, to newPath: String, in directory: Int, node: Int) {
        let entry = DirectoryEntry(path: newPath, directory: directory, node: node)
        let change = NameChange(.rename(from: path, entry), in: directory)
        change.apply(to: &entries)
        nameChanges.append(change)
    }

    mutating func remove(_ path: String, in directory: Int) {
        let change = NameChange(.unlink(path), in: directory)
        change.apply(to: &entries)
        nameChanges.append(change)
    }

    mutating func syncDirectory(_ directory: Int) {
        var kept = nameChanges.map { $0.directory == directory && !$0.isDropped }
        nameChanges.keepWhatOthersNeed(&kept)
        var rest: [NameChange] = []
        for (change, isKept) in zip(nameChanges, kept) {
            if isKept { change.apply(to: &durableEntries) } else { rest.append(change) }
        }
        nameChanges = rest
        reclaim()
    }

    /// Calls the changes to a directory clean without making them stable.
    mutating func dropNames(of directory: Int) {
        for index in nameChanges.indices where nameChanges[index].directory == directory {
            nameChanges[index].isDropped = true
        }
    }

    private mutating func newNode(isDirectory: Bool) -> Int {
        if let node = unused.popLast() {
            nodes[node] = DiskNode(isDirectory: isDirectory)
            return node
        }
        nodes.append(DiskNode(isDirectory: isDirectory))
        return nodes.count - 1
    }

    /// Forgets the files that nothing can reach again.
    private mutating func reclaim() {
        guard nodes.count - unused.count > entries.count + 1 else { return }
        let free = Set(unused)
        for node in nodes.indices.dropFirst()
        where nodes[node].handles == 0 && !free.contains(node) && !isMentioned(node) {
            nodes[node] = DiskNode(isDirectory: false)
            unused.append(node)
        }
    }

    private func isMentioned(_ node: Int) -> Bool {
        entries.contains { $0.node == node } || mayHaveName(node)
    }

    // MARK: After a crash

    /// Whether a power cut can leave the node a name.
    func mayHaveName(_ node: Int) -> Bool {
        durableEntries.contains { $0.node == node } || nameChanges.contains { $0.change.node == node }
    }

    /// The names that a power cut leaves when of the name changes those in `kept` reached the disk.
    func names(keeping kept: [Bool]) -> [DirectoryEntry] {
        guard !nameChanges.isEmpty else { return durableEntries }
        var kept = kept
        nameChanges.keepWhatOthersNeed(&kept)
        var names = durableEntries
        for (change, isKept) in zip(nameChanges, kept) where isKept { change.apply(to: &names) }
        return names
    }

    /// A disk with these names, as far as they hang together, and with `bytes` of each of their nodes,
    /// all of it stable.
    func settled(names: [DirectoryEntry], bytes: (Int) -> [UInt8]) -> DiskImage {
        var image = DiskImage()
        var moved = [Int?](repeating: nil, count: nodes.count)
        moved[Self.root] = Self.root
        var rest = names
        while true {
            var waiting: [DirectoryEntry] = []
            for entry in rest {
                guard let directory = moved[entry.directory] else {
                    waiting.append(entry)
                    continue
                }
                let node = image.nodes.count
                moved[entry.node] = node
                let content = nodes[entry.node].isDirectory ? [] : bytes(entry.node)
                image.nodes.append(
                    DiskNode(isDirectory: nodes[entry.node].isDirectory, visible: content, durable: content)
                )
                image.entries.append(
                    DirectoryEntry(path: entry.path, name: entry.name, directory: directory, node: node)
                )
            }
            if waiting.isEmpty || waiting.count == rest.count { break }
            rest = waiting
        }
        image.durableEntries = image.entries
        return image
    }

    /// The disk after the death of every process: nothing is open.
    func withoutHandles() -> DiskImage {
        var image = self
        for node in image.nodes.indices { image.nodes[node].handles = 0 }
        image.reclaim()
        return image
    }
}
