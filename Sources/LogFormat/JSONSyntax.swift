/// Finds the end of a JSON value, as RFC 8259 has it, but without a raw LF.
///
/// Positions are passed by value and failures are nil, so that all of a value's scan stays in registers:
/// this is half the cost of reading a line.
enum JSONSyntax {
    /// Behind the one value that begins at `start`, with the white space around it; nil when none does.
    static func valueEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        var next = start
        var containers = ContainerStack()
        var mark = significantByte(&next, end)
        value: while true {
            switch mark {
            case UInt8(ascii: "\""):
                guard let behind = stringEnd(next + 1, end) else { return nil }
                next = behind
            case UInt8(ascii: "{"):
                containers.push(isObject: true)
                next += 1
                mark = significantByte(&next, end)
                if mark != UInt8(ascii: "}") {
                    guard skipKey(mark, &next, end) else { return nil }
                    mark = significantByte(&next, end)
                    continue value
                }
            case UInt8(ascii: "["):
                containers.push(isObject: false)
                next += 1
                mark = significantByte(&next, end)
                if mark != UInt8(ascii: "]") { continue value }
            default:
                guard let behind = scalarEnd(mark, next, end) else { return nil }
                next = behind
            }
            // A value has ended, or an empty container stands before its closing bracket.
            while true {
                mark = significantByte(&next, end)
                if containers.isEmpty { return next }
                if mark == UInt8(ascii: ",") {
                    next += 1
                    mark = significantByte(&next, end)
                    if containers.isInObject {
                        guard skipKey(mark, &next, end) else { return nil }
                        mark = significantByte(&next, end)
                    }
                    continue value
                }
                guard mark == containers.closingBracket else { return nil }
                next += 1
                containers.pop()
            }
        }
    }

    /// Moves over white space to the next byte and returns it; 0, which no text holds, at the end.
    @inline(__always)
    private static func significantByte(_ next: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt8 {
        guard next < end else { return 0 }
        let byte = next.load(as: UInt8.self)
        if byte > 0x20 { return byte }
        next = whiteSpaceEnd(next, end)
        return next < end ? next.load(as: UInt8.self) : 0
    }

    private static func whiteSpaceEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer
    {
        var next = start
        while next < end {
            let space = next.load(as: UInt8.self)
            guard space == 0x20 || space == 0x09 || space == 0x0D else { break }
            next += 1
        }
        return next
    }

    /// Moves over a key, whose first byte is `mark`, and its colon.
    @inline(__always)
    private static func skipKey(_ mark: UInt8, _ next: inout UnsafeRawPointer, _ end: UnsafeRawPointer)
        -> Bool
    {
        guard mark == UInt8(ascii: "\""), let behind = stringEnd(next + 1, end) else { return false }
        next = behind
        guard significantByte(&next, end) == UInt8(ascii: ":") else { return false }
        next += 1
        return true
    }

    @inline(__always)
    private static func byte(_ next: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt8? {
        next < end ? next.load(as: UInt8.self) : nil
    }

    /// Behind a number, `true`, `false` or `null`.
    @inline(__always)
    private static func scalarEnd(_ first: UInt8, _ start: UnsafeRawPointer, _ end: UnsafeRawPointer)
        -> UnsafeRawPointer?
    {
        switch first {
        case UInt8(ascii: "t"): literalEnd("true", start, end)
        case UInt8(ascii: "f"): literalEnd("false", start, end)
        case UInt8(ascii: "n"): literalEnd("null", start, end)
        default: numberEnd(first, start, end)
        }
    }

    @inline(__always)
    private static func literalEnd(_ text: StaticString, _ start: UnsafeRawPointer, _ end: UnsafeRawPointer)
        -> UnsafeRawPointer?
    {
        let length = text.utf8CodeUnitCount
        guard end - start >= length, ByteSearch.matches(text, at: start) else { return nil }
        return start + length
    }

    @inline(__always)
    private static func numberEnd(_ first: UInt8, _ start: UnsafeRawPointer, _ end: UnsafeRawPointer)
        -> UnsafeRawPointer?
    {
        var next = first == UInt8(ascii: "-") ? start + 1 : start
        if byte(next, end) == UInt8(ascii: "0") {
            next += 1
        } else {
            guard let behind = digitsEnd(next, end) else { return nil }
            next = behind
        }
        guard let mark = byte(next, end), mark | 0x20 == UInt8(ascii: "e") || mark == UInt8(ascii: ".") else {
            return next
        }
        return fractionEnd(next, end)
    }

    /// Behind the fraction and the exponent of a number.
    private static func fractionEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        var next = start
        if byte(next, end) == UInt8(ascii: ".") {
            guard let behind = digitsEnd(next + 1, end) else { return nil }
            next = behind
        }
        guard let mark = byte(next, end), mark | 0x20 == UInt8(ascii: "e") else { return next }
        next += 1
        if let sign = byte(next, end), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { next += 1 }
        return digitsEnd(next, end)
    }

    /// Behind one digit or more.
    @inline(__always)
    private static func digitsEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        var next = start
        while end - next >= 8 {
            let count = ByteSearch.leadingDigits(ByteSearch.word(next))
            next += count
            if count < 8 { return next > start ? next : nil }
        }
        while let digit = byte(next, end), digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
            next += 1
        }
        return next > start ? next : nil
    }

    // MARK: Strings

    /// Behind the closing quote of a string that begins in front of `start`.
    @inline(__always)
    private static func stringEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        var next = start
        while end - next >= 8 {
            let stops = ByteSearch.stringStops(ByteSearch.word(next))
            if stops == 0 {
                next += 8
                continue
            }
            next += ByteSearch.firstByte(stops)
            if next.load(as: UInt8.self) == UInt8(ascii: "\"") { return next + 1 }
            guard let behind = specialEnd(next, end) else { return nil }
            next = behind
        }
        return lastStringEnd(next, end)
    }

    /// The same within the last bytes.
    private static func lastStringEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer?
    {
        var next = start
        while next < end {
            let byte = next.load(as: UInt8.self)
            if byte == UInt8(ascii: "\"") { return next + 1 }
            if byte < 0x20 || byte == UInt8(ascii: "\\") || byte >= 0x80 {
                guard let behind = specialEnd(next, end) else { return nil }
                next = behind
            } else {
                next += 1
            }
        }
        return nil
    }

    /// Behind an escape or a scalar that is not ASCII; nil for a control character.
    private static func specialEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        let first = start.load(as: UInt8.self)
        if first >= 0x80 { return scalarEnd(start, end) }
        guard first == UInt8(ascii: "\\"), end - start >= 2 else { return nil }
        let kind = start.load(fromByteOffset: 1, as: UInt8.self)
        switch kind {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            return start + 2
        case UInt8(ascii: "u"):
            guard end - start >= 6 else { return nil }
            for index in 2..<6 {
                let digit = start.load(fromByteOffset: index, as: UInt8.self)
                // A letter is made lower case; a control character must not be made a digit.
                guard Hexadecimal.value(digit < 0x40 ? digit : digit | 0x20) != nil else { return nil }
            }
            return start + 6
        default:
            return nil
        }
    }

    /// Behind one well-formed UTF-8 scalar of two to four bytes (Unicode 15, table 3-7).
    static func scalarEnd(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        let first = start.load(as: UInt8.self)
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
        default: return nil
        }
        guard end - start >= length else { return nil }
        guard second.contains(start.load(fromByteOffset: 1, as: UInt8.self)) else { return nil }
        for index in 2..<max(length, 2)
        where !(0x80...0xBF).contains(start.load(fromByteOffset: index, as: UInt8.self)) {
            return nil
        }
        return start + length
    }
}

/// Which container stands around a JSON value: one bit a level, 64 levels without allocation.
private struct ContainerStack {
    private var bits: UInt64 = 0
    private var depth = 0
    private var outer: [UInt64] = []

    @inline(__always)
    var isEmpty: Bool { depth == 0 }

    @inline(__always)
    var isInObject: Bool { bits & 1 == 1 }

    /// Of the innermost container: the two brackets are one bit apart.
    @inline(__always)
    var closingBracket: UInt8 { UInt8(ascii: "]") | UInt8(truncatingIfNeeded: bits & 1) << 5 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth == 64 { save() }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        bits >>= 1
        depth -= 1
        if depth == 0 { restore() }
    }

    @inline(never)
    private mutating func save() {
        outer.append(bits)
        depth = 0
    }

    @inline(never)
    private mutating func restore() {
        guard let saved = outer.popLast() else { return }
        bits = saved
        depth = 64
    }
}
