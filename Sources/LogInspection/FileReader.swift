import LogFormat
import LogStorage

/// Where a line begins in a file.
struct FilePosition: Hashable, Sendable {
    var offset: UInt64
    /// From 1.
    var line: UInt64

    static let start = FilePosition(offset: 0, line: 1)
}

/// Reads the lines of one file up to a fixed length, a window at a time.
struct FileReader: ~Copyable {
    private let file: OpenedFile
    private var scanner: LogScanner

    init(
        _ file: OpenedFile,
        from start: FilePosition = .start,
        to length: UInt64? = nil,
        windowSize: Int = 256 << 10
    ) {
        self.file = file
        scanner = LogScanner(
            offset: start.offset,
            line: start.line,
            length: length ?? file.length,
            windowSize: windowSize
        )
    }

    /// The next line or run of bytes, or nil at the end. Its views are valid until the next call.
    mutating func next() throws(InspectionError) -> ScannedLine? {
        while true {
            switch scanner.next() {
            case .line(let line): return line
            case .end: return nil
            case .needsBytes(let offset, let buffer):
                let count: Int
                do throws(StorageError) {
                    count = try file.file.read(at: offset, into: buffer)
                } catch {
                    throw .storage(error)
                }
                guard count > 0 else { throw .changed(path: file.path) }
                try file.watch.advance(file.name.description, offset + UInt64(count), of: file.length)
                scanner.didRead(count)
            }
        }
    }
}
