import Glibc

/// The least that a synced append can cost: one `pwrite` of a line and one `fdatasync`, nothing else.
///
/// The lines are as long as the project's for the same document.
struct AppendFloor: ~Copyable {
    static let growing = "C append, growing file"
    static let prewritten = "C append, pre-written space"

    private let descriptor: Int32
    private let line: [UInt8]
    private var offset: off_t = 0

    /// With `space`, so many bytes are written and synced first, so that no save changes the length.
    init(_ path: String, lineLength: Int, space: Int) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        if space > 0 {
            try Self.write([UInt8](repeating: 0x0A, count: space), at: 0, to: descriptor)
            guard fsync(descriptor) == 0 else { throw Self.failure("fsync") }
        }
        self.descriptor = descriptor
        line = [UInt8](repeating: UInt8(ascii: "x"), count: lineLength)
    }

    deinit {
        close(descriptor)
    }

    mutating func append() throws {
        try Self.write(line, at: offset, to: descriptor)
        guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync") }
        offset += off_t(line.count)
    }

    private static func write(_ bytes: [UInt8], at offset: off_t, to descriptor: Int32) throws {
        guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else { throw failure("pwrite") }
    }

    private static func failure(_ call: String) -> Failure {
        Failure("\(call) failed: \(String(cString: strerror(errno)))")
    }
}
