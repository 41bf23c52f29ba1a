/// RFC 8259, written for plainness: which bytes are one JSON value with white space around it, an LF
/// not counted as white space.
struct JSONReference {
    private let bytes: [UInt8]
    private var next = 0

    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0x0A) else { return false }
        var reader = JSONReference(bytes: bytes)
        return reader.element() && reader.next == bytes.count
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[next...].starts(with: text.utf8) else { return false }
        next += text.utf8.count
        return true
    }

    private mutating func space() {
        while take(" ") || take("\t") || take("\r") {}
    }

    private mutating func element() -> Bool {
        space()
        guard value() else { return false }
        space()
        return true
    }

    private mutating func value() -> Bool {
        if take("{") { return members() }
        if take("[") { return elements() }
        if byte == UInt8(ascii: "\"") { return string() }
        return take("true") || take("false") || take("null") || number()
    }

    private mutating func members() -> Bool {
        space()
        if take("}") { return true }
        repeat {
            space()
            guard string() else { return false }
            space()
            guard take(":"), element() else { return false }
        } while take(",")
        return take("}")
    }

    private mutating func elements() -> Bool {
        space()
        if take("]") { return true }
        repeat {
            guard element() else { return false }
        } while take(",")
        return take("]")
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte {
            next += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0..<0x20: return false
            case UInt8(ascii: "\\"):
                guard let escape = self.byte else { return false }
                next += 1
                if escape == UInt8(ascii: "u") {
                    let digits = bytes[next...].prefix(4)
                    let isHex = digits.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
                    guard digits.count == 4, isHex else { return false }
                    next += 4
                } else if !#""\/bfnrt"#.utf8.contains(escape) {
                    return false
                }
            default: break
            }
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = take("-")
        return (take("0") || digits()) && fraction() && exponent()
    }

    private mutating func fraction() -> Bool {
        take(".") ? digits() : true
    }

    private mutating func exponent() -> Bool {
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return digits()
    }

    private mutating func digits() -> Bool {
        let start = next
        while let byte, (0x30...0x39).contains(byte) { next += 1 }
        return next > start
    }
}
