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

    /// The eight digits of a checksum.
    static func digits(_ value: UInt32) -> [UInt8] {
        (0..<8).map { digit(UInt8(truncatingIfNeeded: value >> UInt32(28 - 4 * $0)) & 0xF) }
    }
}
