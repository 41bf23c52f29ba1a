/// One file or directory of a simulated disk, whatever its names.
struct DiskNode: Sendable {
    var isDirectory: Bool
    /// What a process reads.
    var visible: [UInt8] = []
    /// What a power cut cannot take.
    var durable: [UInt8] = []
    /// The changes since the last successful sync, in order.
    var pending: [ByteChange] = []
    /// How many changes came before the first pending one.
    var changesBefore = 0
    /// The changes that a failed sync dropped, without what was written over them since. No later sync
    /// makes them stable; that they reached the disk all the same is possible.
    var dropped: [ByteChange] = []
    /// How many open files stand for it.
    var handles = 0

    /// How many changes there have ever been.
    var changeCount: Int { changesBefore + pending.count }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        visible.overwrite(at: offset, with: bytes)
        record(.write(offset: offset, bytes: Array(bytes)))
    }

    mutating func truncate(to length: Int) {
        let change = ByteChange.truncate(from: visible.count, to: length)
        visible.resize(to: length)
        record(change)
    }

    private mutating func record(_ change: ByteChange) {
        pending.append(change)
        if !dropped.isEmpty { dropped = dropped.flatMap { $0.without(change) } }
    }

    /// Makes stable the pending ones of the first `count` changes.
    mutating func sync(first count: Int) {
        let covered = max(0, count - changesBefore)
        for change in pending[..<covered] { change.apply(to: &durable) }
        pending.removeFirst(covered)
        changesBefore += covered
    }

    /// Calls the pending ones of the first `count` changes clean without making them stable.
    mutating func drop(first count: Int) {
        let covered = max(0, count - changesBefore)
        dropped += pending[..<covered]
        pending.removeFirst(covered)
        changesBefore += covered
    }
}

/// A change to a file's bytes that the disk may not have yet.
enum ByteChange: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(from: Int, to: Int)

    func apply(to file: inout [UInt8]) {
        switch self {
        case .write(let offset, let bytes):
            bytes.withUnsafeBytes { file.overwrite(at: offset, with: $0) }
        case .truncate(_, let length):
            file.resize(to: length)
        }
    }

    /// What is left of this change once `later` has been made over it.
    func without(_ later: ByteChange) -> [ByteChange] {
        switch (self, later) {
        case (.write(let offset, let bytes), .write(let start, let new)):
            return Self.pieces(of: bytes, at: offset, outside: start..<start + new.count)
        case (.write(let offset, let bytes), .truncate(_, let length)):
            return Self.pieces(of: bytes, at: offset, outside: length..<max(length, offset + bytes.count))
        case (.truncate(let from, let to), .write(let start, let new)):
            guard start + new.count > to else { return [self] }
            // The file is longer again: all that may be left of the cut are the NULs.
            guard from > to else { return [] }
            let nuls = [UInt8](repeating: 0, count: from - to)
            return Self.pieces(of: nuls, at: to, outside: start..<start + new.count)
        case (.truncate(_, let to), .truncate(_, let length)):
            return length <= to ? [] : [self]
        }
    }

    private static func pieces(of bytes: [UInt8], at offset: Int, outside hole: Range<Int>) -> [ByteChange] {
        let end = offset + bytes.count
        guard hole.lowerBound < end, hole.upperBound > offset else {
            return [.write(offset: offset, bytes: bytes)]
        }
        var pieces: [ByteChange] = []
        if hole.lowerBound > offset {
            pieces.append(.write(offset: offset, bytes: Array(bytes[..<(hole.lowerBound - offset)])))
        }
        if hole.upperBound < end {
            let rest = Array(bytes[(hole.upperBound - offset)...])
            pieces.append(.write(offset: hole.upperBound, bytes: rest))
        }
        return pieces
    }
}

extension [UInt8] {
    /// Puts `bytes` at `offset`; a gap before them is filled with NULs.
    mutating func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        if count < offset { resize(to: offset) }
        let overlap = Swift.min(count - offset, bytes.count)
        if overlap > 0 {
            withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset..<offset + overlap])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<overlap]))
            }
        }
        if overlap < bytes.count { append(contentsOf: bytes[overlap...]) }
    }

    /// Cuts to `length` or extends with NULs.
    mutating func resize(to length: Int) {
        if length < count {
            removeLast(count - length)
        } else if length > count {
            append(contentsOf: repeatElement(0, count: length - count))
        }
    }
}
