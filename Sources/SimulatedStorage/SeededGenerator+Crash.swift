/// The choices of a power cut.
extension SeededGenerator {
    /// Which of the name changes reached the disk: none, all, the first ones, or any.
    mutating func keptNames(of count: Int) -> [Bool] {
        guard count > 0 else { return [] }
        switch below(4) {
        case 0: return [Bool](repeating: oneIn(2), count: count)
        case 1:
            let first = below(count + 1)
            return (0..<count).map { $0 < first }
        default: return (0..<count).map { _ in oneIn(2) }
        }
    }

    /// The bytes of a file after a power cut.
    mutating func remains(of node: DiskNode) -> [UInt8] {
        guard node.hasUnsynced else { return node.durable }
        let changes = node.dropped.isEmpty ? node.pending : node.dropped + node.pending
        var bytes = node.durable
        switch below(8) {
        case 0: break
        case 1: for change in changes { change.apply(to: &bytes) }
        case 2, 3:
            // In order up to a point, as a disk without reordering writes.
            let whole = below(changes.count + 1)
            for change in changes[..<whole] { change.apply(to: &bytes) }
            if whole < changes.count { damage(changes[whole], &bytes) }
        default:
            for change in changes {
                switch below(20) {
                case 0..<8: change.apply(to: &bytes)
                case 8..<13: break
                default: damage(change, &bytes)
                }
            }
        }
        if oneIn(8) { bytes.resize(to: someLength(of: node.durable.count, changes)) }
        return bytes
    }

    /// One of the lengths that the file has had since its last sync: lengths and data reach a disk apart.
    private mutating func someLength(of durable: Int, _ changes: [ByteChange]) -> Int {
        var length = durable
        for change in changes[..<below(changes.count + 1)] {
            switch change {
            case .write(let offset, let bytes): length = max(length, offset + bytes.count)
            case .truncate(_, let to): length = to
            }
        }
        return length
    }

    /// Applies a change as a power cut in its midst leaves it.
    private mutating func damage(_ change: ByteChange, _ file: inout [UInt8]) {
        guard case .write(let offset, var bytes) = change else {
            ChangeFate.torn.apply(change, to: &file)
            return
        }
        switch below(6) {
        case 0, 1: bytes.resize(to: below(bytes.count))
        case 2:
            let skipped = below(bytes.count)
            ByteChange.write(offset: offset + skipped, bytes: Array(bytes[skipped...])).apply(to: &file)
            return
        case 3:
            writePieces(bytes, at: offset, &file)
            return
        case 4: bytes = oneIn(2) ? self.bytes(bytes.count) : [UInt8](repeating: 0, count: bytes.count)
        default: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
        }
        ByteChange.write(offset: offset, bytes: bytes).apply(to: &file)
    }

    /// Cuts a write into pieces, each of which is kept, lost, NULs or garbage.
    private mutating func writePieces(_ bytes: [UInt8], at offset: Int, _ file: inout [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + below(max(1, bytes.count / 2)))
            let piece: [UInt8]?
            switch below(6) {
            case 0, 1: piece = nil
            case 2: piece = [UInt8](repeating: 0, count: end - start)
            case 3: piece = self.bytes(end - start)
            default: piece = Array(bytes[start..<end])
            }
            if let piece { ByteChange.write(offset: offset + start, bytes: piece).apply(to: &file) }
            start = end
        }
    }
}
