import LogStorage

/// Space behind the records of a log that was written before they need it.
///
/// A sync of records in a file that does not grow has no new length to make stable, which takes up to a
/// third of its time. The space is filled with LFs, which mean nothing in the format, so it needs no
/// care of its own: whatever a crash leaves of it, and of records written into it, is judged like any
/// other end of a log. It is cut off before a mark is written and before the next log is begun.
package struct SpaceAhead: Sendable {
    /// In bytes: the steps in which a log is extended grow with it from the smallest to the largest, both
    /// powers of two.
    private let smallestStep: UInt64
    private let largestStep: UInt64

    /// No byte of the space is behind this, counted from the start of the file; at the end of the records or
    /// before it when there is none.
    private(set) var end: UInt64 = 0
    /// Whether the disk had no room for it, or could not write it.
    private var isGivenUp = false

    package init(smallestStep: UInt64 = 16 << 10, largestStep: UInt64 = 1 << 20) {
        self.smallestStep = smallestStep
        self.largestStep = largestStep
    }

    /// Sees to it that records of `count` bytes at `offset` find space, and others after them.
    ///
    /// Space that cannot be had is no error: the records then make the file grow, and if they cannot
    /// either, that is for their own write to say. A part of the space that was written does no harm.
    mutating func prepare(_ file: any StorageFile, at offset: UInt64, count: Int) {
        let needed = offset + UInt64(count)
        guard needed > end, !isGivenUp else { return }
        let step = step(at: offset)
        // Many records at once gain nothing by writing their place twice.
        guard UInt64(count) <= step / 4 else { return }
        let start = max(end, offset)
        let newEnd = (needed / step + 1) * step
        end = newEnd
        do throws(StorageError) {
            try file.write([UInt8](repeating: 0x0A, count: Int(newEnd - start)), at: start)
        } catch {
            isGivenUp = true
        }
    }

    /// A sixteenth of the log, as a power of two.
    private func step(at offset: UInt64) -> UInt64 {
        var step = smallestStep
        while step < largestStep, step < offset / 16 { step *= 2 }
        return step
    }

    /// The file was cut to its records.
    mutating func wasCut() {
        end = 0
    }

    /// Another file is written, which has no space yet.
    mutating func reset() {
        self = SpaceAhead(smallestStep: smallestStep, largestStep: largestStep)
    }
}
