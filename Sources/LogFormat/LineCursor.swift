/// A position in the bytes of one line; every method moves on only over what it accepts.
struct LineCursor {
    private(set) var next: UnsafeRawPointer
    let end: UnsafeRawPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address; one byte that is never read stands in for it.
        next = bytes.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        end = next + bytes.count
    }

    var isAtEnd: Bool { next == end }

    @inline(__always)
    var byte: UInt8? { next < end ? next.load(as: UInt8.self) : nil }

    @inline(__always)
    mutating func skip(_ text: StaticString) -> Bool {
        guard end - next >= text.utf8CodeUnitCount, ByteSearch.matches(text, at: next) else { return false }
        next += text.utf8CodeUnitCount
        return true
    }

    @inline(__always)
    mutating func skip(byte expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        next += 1
        return true
    }

    /// Moves over `count` bytes, whatever they are.
    mutating func skip(count: Int) -> Bool {
        guard end - next >= count else { return false }
        next += count
        return true
    }

    /// A whole number of at most 2^53 - 1 without a leading zero, or nil.
    @inline(__always)
    mutating func number() -> UInt64? {
        let start = next
        var value: UInt64 = 0
        if end - next >= 16 {
            // At most sixteen digits: eight, and eight more.
            let first = Digits(ByteSearch.word(next))
            value = first.value
            if first.count == 8 {
                let second = Digits(ByteSearch.word(next + 8))
                next += 8 + second.count
                value = value &* second.scale &+ second.value
            } else {
                next += first.count
            }
            if next - start == 16, let more = byte, more &- UInt8(ascii: "0") < 10 { return nil }
        } else {
            while next < end {
                let digit = next.load(as: UInt8.self) &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                guard next - start < 16 else { return nil }
                value = value &* 10 &+ UInt64(digit)
                next += 1
            }
        }
        let length = next - start
        guard length > 0, value <= SequenceNumber.highest.rawValue else { return nil }
        guard length == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// A whole number with or without a minus sign, or nil.
    @inline(__always)
    mutating func signedNumber() -> Int64? {
        let isNegative = skip(byte: UInt8(ascii: "-"))
        guard let magnitude = number(), !(isNegative && magnitude == 0) else { return nil }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    /// A JSON value with the white space around it.
    @inline(__always)
    mutating func skipValue() -> Bool {
        guard let behind = JSONSyntax.valueEnd(next, end) else { return false }
        next = behind
        return true
    }

    // MARK: Ids

    /// A string or an integer in the one spelling that the format allows.
    @inline(__always)
    mutating func skipID() -> Bool {
        byte == UInt8(ascii: "\"") ? skipCanonicalString() : skipCanonicalInteger()
    }

    private mutating func skipCanonicalInteger() -> Bool {
        let isNegative = skip(byte: UInt8(ascii: "-"))
        let start = next
        while let digit = byte, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") { next += 1 }
        guard next > start else { return false }
        let startsWithZero = start.load(as: UInt8.self) == UInt8(ascii: "0")
        return !startsWithZero || (next - start == 1 && !isNegative)
    }

    private mutating func skipCanonicalString() -> Bool {
        next += 1
        while skipPlainRun() {
            switch next.load(as: UInt8.self) {
            case UInt8(ascii: "\""):
                next += 1
                return true
            case UInt8(ascii: "\\"):
                guard skipCanonicalEscape() else { return false }
            case 0x80...:
                guard let behind = JSONSyntax.scalarEnd(next, end) else { return false }
                next = behind
            default:
                return false
            }
        }
        return false
    }

    private mutating func skipCanonicalEscape() -> Bool {
        guard end - next >= 2 else { return false }
        switch next.load(fromByteOffset: 1, as: UInt8.self) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            next += 2
            return true
        case UInt8(ascii: "u"):
            next += 2
            guard skip("00"), let high = hexadecimalDigit(), high < 2, let low = hexadecimalDigit() else {
                return false
            }
            // These five have a shorter spelling, so the long one is not theirs.
            return ![0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(high << 4 | low)
        default:
            return false
        }
    }

    private mutating func hexadecimalDigit() -> UInt32? {
        guard let digit = byte, let value = Hexadecimal.value(digit) else { return nil }
        next += 1
        return value
    }

    // MARK: Characters

    /// Moves to the next byte that is not plain ASCII text inside a string; false at the end.
    @inline(__always)
    private mutating func skipPlainRun() -> Bool {
        while end - next >= 8 {
            let stops = ByteSearch.stringStops(UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)))
            if stops != 0 {
                next += stops.trailingZeroBitCount >> 3
                return true
            }
            next += 8
        }
        while next < end {
            let byte = next.load(as: UInt8.self)
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return true }
            next += 1
        }
        return false
    }
}

/// The decimal digits that a word of eight bytes begins with.
private struct Digits {
    let count: Int
    let value: UInt64

    @inline(__always)
    init(_ word: UInt64) {
        count = ByteSearch.leadingDigits(word)
        // Leading zeros fill the word, then neighbours join: pairs, fours, eight.
        var joined = (word ^ 0x3030_3030_3030_3030) << UInt64(64 - 8 * count)
        joined = (joined &* 10 &+ joined >> 8) & 0x00FF_00FF_00FF_00FF
        joined = (joined &* 100 &+ joined >> 16) & 0x0000_FFFF_0000_FFFF
        value = (joined &* 10_000 &+ joined >> 32) & 0xFFFF_FFFF
    }

    /// Ten to the power of the count.
    @inline(__always)
    var scale: UInt64 {
        var scale: UInt64 = 1
        if count & 1 != 0 { scale = 10 }
        if count & 2 != 0 { scale &*= 100 }
        if count & 4 != 0 { scale &*= 10_000 }
        if count & 8 != 0 { scale &*= 100_000_000 }
        return scale
    }
}
