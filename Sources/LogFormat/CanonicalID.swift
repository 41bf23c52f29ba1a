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
        guard isString else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(spelling.count)
        var index = 1
        while index < spelling.count - 1 {
            guard spelling[index] == 0x5C else {
                bytes.append(spelling[index])
                index += 1
                continue
            }
            switch spelling[index + 1] {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                let high = Hexadecimal.value(spelling[index + 4]) ?? 0
                let low = Hexadecimal.value(spelling[index + 5]) ?? 0
                bytes.append(UInt8(high << 4 | low))
                index += 4
            default: bytes.append(spelling[index + 1])
            }
            index += 2
        }
        return String(decoding: bytes, as: UTF8.self)
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
