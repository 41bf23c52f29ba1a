/// Lower-case hexadecimal digits, the only ones in the format.
enum Hexadecimal {
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    @inline(__always)
    static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(digit - UInt8(ascii: "a") + 10)
        default: nil
        }
    }

    /// Eight digits at `start`, or nil when one of them is no lower-case hexadecimal digit.
    static func value(eightDigitsAt start: UnsafeRawPointer) -> UInt32? {
        var result: UInt32 = 0
        for index in 0..<8 {
            guard let digit = value(start.load(fromByteOffset: index, as: UInt8.self)) else { return nil }
            result = result << 4 | digit
        }
        return result
    }

    /// The eight digits of a checksum, the first of them in the lowest byte.
    @inline(__always)
    static func word(_ value: UInt32) -> UInt64 {
        // Spread the nibbles over the bytes, the highest lowest.
        var nibbles = UInt64(value.byteSwapped)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles >> 4 | nibbles << 8) & 0x0F0F_0F0F_0F0F_0F0F
        // From ten on the digits are letters, which stand 39 behind.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The eight digits of a checksum.
    static func digits(_ value: UInt32) -> [UInt8] {
        let word = word(value)
        return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
}
