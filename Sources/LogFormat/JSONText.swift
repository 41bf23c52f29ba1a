/// Whether bytes can stand as a value in a line.
package enum JSONText {
    /// Whether the bytes are one JSON value in UTF-8 without a raw LF.
    package static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return JSONSyntax.valueEnd(start, start + bytes.count) == start + bytes.count
    }
}
