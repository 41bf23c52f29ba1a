package import LogFormat
package import LogStorage

/// Drives a scanner over a file.
package enum FileScan {
    /// Hands every line of the first `length` bytes to `body`, in order, until it returns false.
    ///
    /// Memory is the scanner's window. A file that is shorter than `length` is an error. `watch` hears of
    /// each window that was read.
    package static func lines(
        of file: any StorageFile,
        path: String,
        from offset: UInt64 = 0,
        line: UInt64 = 1,
        length: UInt64,
        watch: (any OpeningWatch)? = nil,
        _ body: (ScannedLine) throws(EngineError) -> Bool
    ) throws(EngineError) {
        var scanner = LogScanner(offset: offset, line: line, length: length)
        while true {
            switch scanner.next() {
            case .line(let line):
                guard try body(line) else { return }
            case .needsBytes(let offset, let buffer):
                let count = try io { () throws(StorageError) in try file.read(at: offset, into: buffer) }
                guard count > 0 else {
                    let reason = "it ended at byte \(offset), before its length of \(length)"
                    throw EngineError(StorageError(.read, path, code: 0, reason: reason))
                }
                try watch?.didRead(count)
                scanner.didRead(count)
            case .end:
                return
            }
        }
    }
}
