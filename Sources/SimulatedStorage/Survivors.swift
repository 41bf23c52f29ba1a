/// What a power cut leaves of all that was not synced.
package enum Survivors: Hashable, Sendable {
    case nothingUnsynced
    case everything
    /// Any mixture that the media assumptions allow: changes lost, kept, torn at any byte, as NULs, as
    /// garbage or with a flipped bit, lengths apart from data; the same one for the same seed.
    case random(SeededGenerator)
    /// The n-th of all combinations in which each name change is lost or kept and each change to
    /// bytes has one of the fates. The disk says with `survivorCount` how many there are.
    case numbered(Int, [ChangeFate] = ChangeFate.quick)

    package static func random(seed: UInt64) -> Survivors {
        .random(SeededGenerator(seed: seed))
    }
}

/// What becomes of an unsynced change to a file's bytes.
package enum ChangeFate: Hashable, Sendable, CaseIterable {
    case lost
    case kept
    /// Of a write the first half; of a truncation the bytes, but not the length.
    case torn
    /// Of a write the second half.
    case tail
    /// Of a write the length, with NULs for data.
    case nuls

    /// Lost, kept, torn.
    package static let quick: [ChangeFate] = [.lost, .kept, .torn]

    func apply(_ change: ByteChange, to file: inout [UInt8]) {
        switch (self, change) {
        case (.lost, _): return
        case (.kept, _): change.apply(to: &file)
        case (_, .truncate(_, let length)):
            let count = file.count
            guard count > length else { return }
            file.resize(to: length)
            file.resize(to: count)
        case (.torn, .write(let offset, let bytes)):
            ByteChange.write(offset: offset, bytes: Array(bytes[..<(bytes.count / 2)])).apply(to: &file)
        case (.tail, .write(let offset, let bytes)):
            let half = bytes.count / 2
            ByteChange.write(offset: offset + half, bytes: Array(bytes[half...])).apply(to: &file)
        case (.nuls, .write(let offset, let bytes)):
            ByteChange.write(offset: offset, bytes: [UInt8](repeating: 0, count: bytes.count)).apply(
                to: &file
            )
        }
    }
}

extension SimulatedDisk {
    /// The disk that a power cut at this moment leaves. Nothing on it is unsynced, no file is open,
    /// no lock held, no fault waits, and its counters start from 0.
    package func afterPowerCut(_ survivors: Survivors) -> SimulatedDisk {
        let (image, capacity) = locked { ($0.image, $0.capacity) }
        return SimulatedDisk(State(image: image.afterPowerCut(survivors), capacity: capacity))
    }

    /// The disk that the death of every process at this moment leaves: all that was written, synced or
    /// not. A later power cut may still take what is not.
    package func afterKill() -> SimulatedDisk {
        locked { SimulatedDisk(State(image: $0.image.withoutHandles(), capacity: $0.capacity)) }
    }

    /// How many combinations `Survivors.numbered` knows at this moment; `Int.max` for very many.
    package func survivorCount(fates: [ChangeFate] = ChangeFate.quick) -> Int {
        let (names, changes) = locked { ($0.image.nameChanges.count, $0.image.unsyncedChangeCount) }
        var count = 1
        for radix in Array(repeating: 2, count: names) + Array(repeating: fates.count, count: changes) {
            let (product, overflow) = count.multipliedReportingOverflow(by: radix)
            if overflow { return .max }
            count = product
        }
        return count
    }

    /// Every combination, or nil when there are more than `limit`.
    package func everySurvivors(limit: Int, fates: [ChangeFate] = ChangeFate.quick) -> [Survivors]? {
        let count = survivorCount(fates: fates)
        return count > limit ? nil : (0..<count).map { .numbered($0, fates) }
    }
}

extension DiskImage {
    /// The unsynced changes to the bytes of files that a power cut can leave a name.
    fileprivate var unsyncedChangeCount: Int {
        nodes.indices.reduce(0) { sum, node in
            let count = nodes[node].dropped.count + nodes[node].pending.count
            return count > 0 && mayHaveName(node) ? sum + count : sum
        }
    }

    fileprivate func afterPowerCut(_ survivors: Survivors) -> DiskImage {
        switch survivors {
        case .nothingUnsynced:
            return settled(names: durableEntries) { nodes[$0].durable }
        case .everything:
            let all = [Bool](repeating: true, count: nameChanges.count)
            return settled(names: names(keeping: all)) { node in
                nodes[node].remains { change, bytes in change.apply(to: &bytes) }
            }
        case .random(var random):
            let kept = random.keptNames(of: nameChanges.count)
            return settled(names: names(keeping: kept)) { random.remains(of: nodes[$0]) }
        case .numbered(let number, let fates):
            return numbered(number, fates)
        }
    }

    private func numbered(_ number: Int, _ fates: [ChangeFate]) -> DiskImage {
        var rest = number
        func digit(_ radix: Int) -> Int {
            defer { rest /= radix }
            return rest % radix
        }
        let kept = nameChanges.map { _ in digit(2) == 1 }
        var bytes: [Int: [UInt8]] = [:]
        for node in nodes.indices where nodes[node].hasUnsynced && mayHaveName(node) {
            bytes[node] = nodes[node].remains { change, file in
                fates[digit(fates.count)].apply(change, to: &file)
            }
        }
        return settled(names: names(keeping: kept)) { bytes[$0] ?? nodes[$0].durable }
    }
}

extension DiskNode {
    var hasUnsynced: Bool { !pending.isEmpty || !dropped.isEmpty }

    /// The durable bytes with the unsynced changes, each as `apply` wants it.
    fileprivate func remains(_ apply: (ByteChange, inout [UInt8]) -> Void) -> [UInt8] {
        guard hasUnsynced else { return durable }
        var bytes = durable
        for change in dropped { apply(change, &bytes) }
        for change in pending { apply(change, &bytes) }
        return bytes
    }
}
