import LogFormat
import LogInspection
import LogStorage

/// Reads plain JSON data from a file, an item at a time: the members of one array, or values one behind the
/// other, as in JSON Lines.
///
/// White space outside strings is dropped, so an item has no raw LF. Memory grows with the longest item.
struct ItemReader: ~Copyable {
    private let file: any StorageFile
    private let path: String
    let length: UInt64
    private var buffer: [UInt8] = []
    private var next = 0
    /// Where the buffer ends in the file.
    private var bufferEnd: UInt64 = 0
    private var isArray: Bool?
    private var isAtEnd = false
    /// How many items were read.
    private(set) var count: UInt64 = 0

    init(_ file: any StorageFile, path: String) throws(MaintenanceError) {
        self.file = file
        self.path = path
        length = try storage { () throws(StorageError) in try file.length() }
    }

    /// Up to here the file was read.
    var offset: UInt64 { bufferEnd - UInt64(buffer.count - next) }

    /// The next item's JSON text, or nil at the end.
    mutating func item() throws(MaintenanceError) -> [UInt8]? {
        if isAtEnd { return nil }
        let isArray = try begin()
        guard let first = try significantByte() else {
            if isArray { throw unfit("the file ends inside the array") }
            isAtEnd = true
            return nil
        }
        if isArray, first == UInt8(ascii: "]") {
            next += 1
            if try significantByte() != nil { throw unfit("something follows the array") }
            isAtEnd = true
            return nil
        }
        if isArray, count > 0 {
            guard first == UInt8(ascii: ",") else { throw unfit("a comma is missing behind item \(count)") }
            next += 1
            guard try significantByte() != nil else { throw unfit("the file ends inside the array") }
        }
        let start = offset
        let text = try value()
        count += 1
        guard text.withUnsafeBytes({ JSONText.isValue($0) }) else {
            throw unfit("item \(count), which begins at byte \(start), is no JSON value")
        }
        return text
    }

    /// Whether the file is one array, which its first byte tells.
    private mutating func begin() throws(MaintenanceError) -> Bool {
        if let isArray { return isArray }
        // A byte order mark, which some programs put first, means nothing in UTF-8.
        if try byte() == 0xEF, buffer.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
        let isArray = try significantByte() == UInt8(ascii: "[")
        if isArray { next += 1 }
        self.isArray = isArray
        return isArray
    }

    func unfit(_ problem: String) -> MaintenanceError {
        MaintenanceError(.unfitInput, "\(path): near byte \(offset), \(problem).")
    }

    // MARK: One value

    /// The bytes from here to the end of a value, as far as brackets and quotes tell.
    private mutating func value() throws(MaintenanceError) -> [UInt8] {
        var text: [UInt8] = []
        var depth = 0
        while let byte = try byte() {
            switch byte {
            case UInt8(ascii: "\""):
                try string(into: &text)
                if depth == 0 { return text }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return text }
                depth -= 1
                if depth == 0 {
                    text.append(byte)
                    next += 1
                    return text
                }
            case UInt8(ascii: ","):
                if depth == 0 { return text }
            case 0x20, 0x09, 0x0A, 0x0D:
                next += 1
                if depth == 0 { return text }
                continue
            default: break
            }
            text.append(byte)
            next += 1
            try checkLength(text)
        }
        return text
    }

    /// A string with its quotes.
    private mutating func string(into text: inout [UInt8]) throws(MaintenanceError) {
        var isEscaped = false
        text.append(UInt8(ascii: "\""))
        next += 1
        while let byte = try byte() {
            text.append(byte)
            next += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return
            }
            try checkLength(text)
        }
    }

    private func checkLength(_ text: [UInt8]) throws(MaintenanceError) {
        guard text.count >= LogScanner.longestLine else { return }
        throw unfit(
            "item \(count + 1) is longer than \(LogScanner.longestLine) bytes, more than a line holds"
        )
    }

    // MARK: Bytes

    /// The byte here, without moving on; nil at the end.
    private mutating func byte() throws(MaintenanceError) -> UInt8? {
        if next < buffer.count { return buffer[next] }
        guard bufferEnd < length else { return nil }
        let piece = bufferEnd..<min(bufferEnd + 256 << 10, length)
        buffer = try storage { () throws(StorageError) in try file.bytes(in: piece, path: path) }
        next = 0
        bufferEnd = piece.upperBound
        return buffer.first
    }

    private mutating func significantByte() throws(MaintenanceError) -> UInt8? {
        while let byte = try byte() {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
            next += 1
        }
        return nil
    }
}
