/// Text made safe for a terminal: whatever a store holds, it cannot move the cursor, colour, hide or
/// reorder what is printed.
///
/// Escaped are, as in JSON, control and format characters (which include those that turn the writing
/// direction), line separators, and all that has no meaning yet. So a JSON text stays the same value.
package enum TerminalText {
    package static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        append(text.unicodeScalars, to: &result)
        return result
    }

    /// The JSON text in `bytes`. A CR or TAB, which it may hold as white space, becomes a space.
    package static func escaped(json bytes: some Sequence<UInt8>) -> String {
        escaped(String(decoding: bytes.map { $0 == 0x0D || $0 == 0x09 ? 0x20 : $0 }, as: UTF8.self))
    }

    /// The start of a JSON text, about `limit` characters, and how long the whole is.
    package static func shortened(json bytes: UnsafeRawBufferPointer, limit: Int) -> String {
        guard bytes.count > limit else { return escaped(json: bytes) }
        // Not in the middle of a scalar.
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return "\(escaped(json: bytes[..<end]))... (\(bytes.count) bytes)"
    }

    private static func append(_ scalars: some Sequence<Unicode.Scalar>, to result: inout String) {
        for scalar in scalars {
            if isPlain(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
