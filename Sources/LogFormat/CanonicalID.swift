/// An id as it stands in a line: a JSON string or a JSON integer in its one allowed spelling.
///
/// Two ids are the same exactly when their bytes are. Whether two `String`s that Swift calls equal
/// share a spelling is decided above, where the item type is known.
package struct CanonicalID: Hashable, Sendable {
    /// The JSON text, quotes included for a string.
    package let spelling: [UInt8]

    /// The canonical spelling of a string: only `"`, `\` and U+0000 to U+001F are escaped.
    package init(_ string: String) {
        var spelling: [UInt8] = []
        spelling.reserveCapacity(string.utf8.count + 2)
        spelling.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case 0x22: spelling += [0x5C, 0x22]
            case 0x5C: spelling += [0x5C, 0x5C]
            case 0x08: spelling += [0x5C, UInt8(ascii: "b")]
            case 0x0C: spelling += [0x5C, UInt8(ascii: "f")]
            case 0x0A: spelling += [0x5C, UInt8(ascii: "n")]
            case 0x0D: spelling += [0x5C, UInt8(ascii: "r")]
            case 0x09: spelling += [0x5C, UInt8(ascii: "t")]
            case 0..<0x20:
                spelling += [0x5C, UInt8(ascii: "u"), 0x30, 0x30]
                spelling += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 0xF)]
            default: spelling.append(byte)
            }
        }
        spelling.append(UInt8(ascii: "\""))
        self.spelling = spelling
    }

    /// The canonical spelling of an integer.
    package init(_ integer: some BinaryInteger) {
        spelling = Array(String(integer).utf8)
    }

    /// An id from its JSON text, or nil when the text is no string or integer in canonical spelling.
    package init?(spelling: some Sequence<UInt8>) {
        let spelling = Array(spelling)
        guard spelling.withUnsafeBytes({ Self.isCanonical($0) }) else { return nil }
        self.spelling = spelling
    }

    /// An id from bytes that a scanner has already judged canonical.
    package init(verified bytes: UnsafeRawBufferPointer) {
        spelling = Array(bytes)
    }

    /// Whether the id is a JSON string, not an integer.
    package var isString: Bool { spelling.first == UInt8(ascii: "\"") }

    /// The string that the id spells, or nil for an integer.
    package var string: String? {
        spelling.withUnsafeBytes { JSONText.string($0) }
    }

    /// Whether `bytes` are a JSON string or integer in the one spelling that the format allows.
    package static func isCanonical(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var cursor = LineCursor(bytes)
        return cursor.skipID() && cursor.isAtEnd
    }
}

extension CanonicalID: CustomStringConvertible {
    package var description: String { String(decoding: spelling, as: UTF8.self) }
}
