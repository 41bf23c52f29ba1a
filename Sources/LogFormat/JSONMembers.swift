/// A member of a JSON object, as it stands there.
package struct JSONMember {
    /// With its quotes.
    package let name: UnsafeRawBufferPointer
    /// Without the white space around it.
    package let value: UnsafeRawBufferPointer
}

extension JSONText {
    /// The members of an object in their order, or nil when the bytes are no JSON object.
    package static func members(of bytes: UnsafeRawBufferPointer) -> [JSONMember]? {
        let text = trimmed(bytes)
        guard isValue(text), text.first == UInt8(ascii: "{"), let start = text.baseAddress else { return nil }
        let end = start + text.count - 1
        var members: [JSONMember] = []
        var next = skipSpace(start + 1, end)
        while next < end {
            // A name, a colon, a value: that they are there is known.
            guard let behindName = JSONSyntax.valueEnd(next, end) else { return nil }
            let name = trimmed(UnsafeRawBufferPointer(start: next, count: behindName - next))
            guard let behindValue = JSONSyntax.valueEnd(behindName + 1, end) else { return nil }
            let value = UnsafeRawBufferPointer(start: behindName + 1, count: behindValue - behindName - 1)
            members.append(JSONMember(name: name, value: trimmed(value)))
            // Behind a comma, or at the closing brace.
            next = skipSpace(behindValue < end ? behindValue + 1 : end, end)
        }
        return members
    }

    private static func skipSpace(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer {
        var next = start
        while next < end, next.load(as: UInt8.self) <= 0x20 { next += 1 }
        return next
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var bytes = bytes[...]
        while let first = bytes.first, first <= 0x20 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
        return UnsafeRawBufferPointer(rebasing: bytes)
    }
}

extension JSONText {
    /// The text that a JSON string spells, or nil when the bytes are no string. Half of a surrogate pair
    /// becomes U+FFFD.
    package static func string(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return nil
        }
        let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        var text: [UInt8] = []
        var index = 0
        while index < inner.count {
            guard inner[index] == UInt8(ascii: "\\"), index + 1 < inner.count else {
                text.append(inner[index])
                index += 1
                continue
            }
            switch inner[index + 1] {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                text += String(scalar(in: inner, at: &index)).utf8
                continue
            default: text.append(inner[index + 1])
            }
            index += 2
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The scalar of the `\uXXXX` at `index`, or of two that are a surrogate pair; moves behind it.
    private static func scalar(in bytes: UnsafeRawBufferPointer, at index: inout Int) -> Unicode.Scalar {
        let unit = codeUnit(in: bytes, at: index) ?? 0xFFFD
        index += 6
        if (0xD800..<0xDC00).contains(unit), let low = codeUnit(in: bytes, at: index),
            (0xDC00..<0xE000).contains(low)
        {
            index += 6
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
        }
        return Unicode.Scalar(unit) ?? "\u{FFFD}"
    }

    private static func codeUnit(in bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        var unit: UInt32 = 0
        for byte in bytes[index + 2..<index + 6] {
            // In text that is read, not written, digits may be upper case.
            guard let digit = Hexadecimal.value(byte >= 0x41 && byte <= 0x46 ? byte | 0x20 : byte) else {
                return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
