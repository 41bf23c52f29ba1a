import LogFormat

/// What became of one member of a value.
struct ValueChange {
    /// The member's place: a JSON Pointer, empty for the whole value.
    var path: String
    /// The JSON text before; nil when the member was added.
    var old: [UInt8]?
    /// The JSON text behind; nil when the member was removed.
    var new: [UInt8]?
}

/// Compares two values member by member, through objects in objects; an array counts as one value.
enum ValueChanges {
    static func between(_ old: [UInt8]?, _ new: [UInt8]?) -> [ValueChange] {
        guard let old, let new else {
            return old == nil && new == nil ? [] : [ValueChange(path: "", old: old, new: new)]
        }
        var changes: [ValueChange] = []
        old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in compare(old, new, at: "", depth: 0, &changes) }
        }
        return changes
    }

    /// Objects that lie deeper than this are compared as one value.
    private static let deepest = 32

    private static func compare(
        _ old: UnsafeRawBufferPointer,
        _ new: UnsafeRawBufferPointer,
        at path: String,
        depth: Int,
        _ changes: inout [ValueChange]
    ) {
        if old.elementsEqual(new) { return }
        guard depth < deepest, let before = members(old), let after = members(new) else {
            changes.append(ValueChange(path: path, old: Array(old), new: Array(new)))
            return
        }
        for (name, value) in before.list where after.values[name] == nil {
            changes.append(ValueChange(path: path + pointer(name), old: Array(value), new: nil))
        }
        for (name, value) in after.list {
            if let was = before.values[name] {
                compare(was, value, at: path + pointer(name), depth: depth + 1, &changes)
            } else {
                changes.append(ValueChange(path: path + pointer(name), old: nil, new: Array(value)))
            }
        }
    }

    private typealias Members = (
        list: [(name: String, value: UnsafeRawBufferPointer)], values: [String: UnsafeRawBufferPointer]
    )

    /// By name; of a name that stands twice the last one counts.
    private static func members(_ bytes: UnsafeRawBufferPointer) -> Members? {
        guard let members = JSONText.members(of: bytes) else { return nil }
        var values: [String: UnsafeRawBufferPointer] = [:]
        var names: [String] = []
        for member in members {
            let name = self.name(member.name)
            if values.updateValue(member.value, forKey: name) == nil { names.append(name) }
        }
        return (names.map { ($0, values[$0] ?? UnsafeRawBufferPointer(start: nil, count: 0)) }, values)
    }

    /// Without its quotes; escapes stay as they are spelled.
    private static func name(_ spelling: UnsafeRawBufferPointer) -> String {
        String(decoding: spelling.dropFirst().dropLast(), as: UTF8.self)
    }

    /// RFC 6901: `~` and `/` in a name are written `~0` and `~1`.
    private static func pointer(_ name: String) -> String {
        var text = "/"
        for character in name.unicodeScalars {
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

extension ValueChange {
    /// For programs. The path's escapes are those of JSON already, as spelled in the value.
    var json: JSONLine {
        var line = JSONLine()
        line.add("path", json: Array("\"\(path)\"".utf8))
        if let old { line.add("was", json: old) }
        if let new { line.add("is", json: new) }
        return line
    }

    /// `~ /title: "one" -> "two"`.
    var text: String {
        let name = path.isEmpty ? "" : "\(TerminalText.escaped(path)): "
        return switch (old, new) {
        case (let old?, let new?): "~ \(name)\(Self.shown(old)) -> \(Self.shown(new))"
        case (let old?, nil): "- \(name)\(Self.shown(old))"
        case (nil, let new?): "+ \(name)\(Self.shown(new))"
        case (nil, nil): ""
        }
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { TerminalText.shortened(json: $0, limit: 200) }
    }
}
