package import LogFormat

/// One JSON object on one line, composed member by member.
package struct JSONLine {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// The line with its LF.
    package consuming func finish() -> [UInt8] {
        bytes += [UInt8(ascii: "}"), 0x0A]
        return bytes
    }

    package mutating func add(_ name: StaticString, _ number: UInt64) {
        begin(name)
        bytes += String(number).utf8
    }

    package mutating func add(_ name: StaticString, _ number: Int64) {
        begin(name)
        bytes += String(number).utf8
    }

    package mutating func add(_ name: StaticString, _ number: SequenceNumber) {
        add(name, number.rawValue)
    }

    package mutating func add(_ name: StaticString, _ flag: Bool) {
        begin(name)
        bytes += (flag ? "true" : "false").utf8
    }

    /// A text as a JSON string, or null.
    package mutating func add(_ name: StaticString, _ text: String?) {
        begin(name)
        guard let text else {
            bytes += "null".utf8
            return
        }
        // An id's canonical spelling is the JSON string with the fewest escapes.
        bytes += CanonicalID(text).spelling
    }

    /// Bytes that are JSON already, verbatim.
    package mutating func add(_ name: StaticString, json: some Sequence<UInt8>) {
        begin(name)
        bytes += json
    }

    /// An array of objects.
    package mutating func add(_ name: StaticString, _ objects: [JSONLine]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, object) in objects.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += object.bytes
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }
}
