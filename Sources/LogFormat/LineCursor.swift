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
        while next < end {
            let digit = next.load(as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            guard next - start < 16 else { return nil }
            value = value &* 10 &+ UInt64(digit)
            next += 1
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
                guard skipScalar() else { return false }
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

    // MARK: JSON values

    /// One JSON value with the white space around it, up to the end of the cursor's bytes.
    mutating func skipValueToEnd() -> Bool {
        var containers = ContainerStack()
        skipWhiteSpace()
        while true {
            guard let first = byte else { return false }
            switch first {
            case UInt8(ascii: "{"):
                next += 1
                containers.push(isObject: true)
                skipWhiteSpace()
                if byte != UInt8(ascii: "}") {
                    guard skipKey() else { return false }
                    continue
                }
            case UInt8(ascii: "["):
                next += 1
                containers.push(isObject: false)
                skipWhiteSpace()
                if byte != UInt8(ascii: "]") { continue }
            default:
                guard skipScalarValue(first) else { return false }
            }
            // A value has ended, or an empty container stands before its closing bracket.
            var continues = false
            while !continues {
                skipWhiteSpace()
                guard let isObject = containers.top else { return isAtEnd }
                if skip(byte: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    containers.pop()
                    continue
                }
                guard skip(byte: UInt8(ascii: ",")) else { return false }
                skipWhiteSpace()
                guard !isObject || skipKey() else { return false }
                continues = true
            }
        }
    }

    private mutating func skipScalarValue(_ first: UInt8) -> Bool {
        switch first {
        case UInt8(ascii: "\""): skipString()
        case UInt8(ascii: "t"): skip("true")
        case UInt8(ascii: "f"): skip("false")
        case UInt8(ascii: "n"): skip("null")
        default: skipJSONNumber()
        }
    }

    private mutating func skipKey() -> Bool {
        guard byte == UInt8(ascii: "\""), skipString() else { return false }
        skipWhiteSpace()
        guard skip(byte: UInt8(ascii: ":")) else { return false }
        skipWhiteSpace()
        return true
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while let space = byte, space == 0x20 || space == 0x09 || space == 0x0D { next += 1 }
    }

    private mutating func skipString() -> Bool {
        next += 1
        while skipPlainRun() {
            switch next.load(as: UInt8.self) {
            case UInt8(ascii: "\""):
                next += 1
                return true
            case UInt8(ascii: "\\"):
                guard skipEscape() else { return false }
            case 0x80...:
                guard skipScalar() else { return false }
            default:
                return false
            }
        }
        return false
    }

    private mutating func skipEscape() -> Bool {
        guard end - next >= 2 else { return false }
        let kind = next.load(fromByteOffset: 1, as: UInt8.self)
        next += 2
        guard kind == UInt8(ascii: "u") else {
            return [0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74].contains(kind)
        }
        for _ in 0..<4 {
            // A letter is made lower case; a control character must not be made a digit.
            guard let digit = byte, Hexadecimal.value(digit < 0x40 ? digit : digit | 0x20) != nil else {
                return false
            }
            next += 1
        }
        return true
    }

    private mutating func skipJSONNumber() -> Bool {
        _ = skip(byte: UInt8(ascii: "-"))
        if !skip(byte: UInt8(ascii: "0")) {
            guard skipDigits() else { return false }
        }
        if skip(byte: UInt8(ascii: ".")) {
            guard skipDigits() else { return false }
        }
        if skip(byte: UInt8(ascii: "e")) || skip(byte: UInt8(ascii: "E")) {
            _ = skip(byte: UInt8(ascii: "+")) || skip(byte: UInt8(ascii: "-"))
            guard skipDigits() else { return false }
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = next
        while let digit = byte, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") { next += 1 }
        return next > start
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

    /// One well-formed UTF-8 scalar of two to four bytes (Unicode 15, table 3-7).
    private mutating func skipScalar() -> Bool {
        let first = next.load(as: UInt8.self)
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return false
        }
        guard end - next >= length else { return false }
        guard second.contains(next.load(fromByteOffset: 1, as: UInt8.self)) else { return false }
        for index in 2..<max(length, 2)
        where !(0x80...0xBF).contains(next.load(fromByteOffset: index, as: UInt8.self)) {
            return false
        }
        next += length
        return true
    }
}

/// Which container stands around a JSON value: one bit a level, 64 levels without allocation.
private struct ContainerStack {
    private var bits: UInt64 = 0
    private var depth = 0
    private var outer: [UInt64] = []

    var top: Bool? { depth == 0 && outer.isEmpty ? nil : bits & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth == 64 {
            outer.append(bits)
            depth = 0
        }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        bits >>= 1
        depth -= 1
        if depth == 0, let saved = outer.popLast() {
            bits = saved
            depth = 64
        }
    }
}
