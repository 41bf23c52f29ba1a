import LogFormat
import LogStorage

/// Reads values from the files they stand in, cheaply when they are asked for in the files' order.
package struct ValueReader: ~Copyable {
    private let directory: StoreDirectory
    private let files: [StorePlan.File]
    private var file: (any StorageFile)?
    private var fileNumber: Int32 = -1
    private var window: UnsafeMutableRawBufferPointer
    /// The bytes of the file that the window holds.
    private var held: Range<UInt64> = 0..<0

    package init(_ directory: StoreDirectory, _ files: [StorePlan.File], windowSize: Int = 256 << 10) {
        self.directory = directory
        self.files = files
        window = .allocate(byteCount: windowSize, alignment: 16)
    }

    deinit {
        window.deallocate()
    }

    /// The value's JSON text: a view that is valid until the next call.
    package mutating func value(
        at location: LiveIndex.Location
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        try bytes(in: location.valueRange, of: location.file)
    }

    /// The record's whole line with its LF: a view that is valid until the next call.
    package mutating func line(
        at location: LiveIndex.Location
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        try bytes(
            in: location.lineOffset..<location.lineOffset + UInt64(location.lineLength),
            of: location.file
        )
    }

    private mutating func bytes(
        in range: Range<UInt64>,
        of number: Int32
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        if number != fileNumber || range.lowerBound < held.lowerBound || range.upperBound > held.upperBound {
            try fill(from: range, of: number)
        }
        let start = Int(range.lowerBound - held.lowerBound)
        return UnsafeRawBufferPointer(rebasing: window[start..<start + range.count])
    }

    private mutating func fill(from range: Range<UInt64>, of number: Int32) throws(EngineError) {
        let description = files[Int(number)]
        let path = directory.path(of: description.name)
        if number != fileNumber {
            file = try io { () throws(StorageError) in try directory.fileSystem.openForReading(path) }
            fileNumber = number
        }
        guard let file else {
            throw EngineError(StorageError.vanished(path))
        }
        if range.count > window.count {
            window.deallocate()
            window = .allocate(byteCount: range.count, alignment: 16)
        }
        let count = min(UInt64(window.count), description.length - range.lowerBound)
        let target = UnsafeMutableRawBufferPointer(rebasing: window[..<Int(count)])
        // Until the read succeeds the window holds nothing, or a second try would be served garbage.
        held = 0..<0
        try io { () throws(StorageError) in
            try file.readAll(at: range.lowerBound, into: target, path: path)
        }
        held = range.lowerBound..<range.lowerBound + count
    }
}
