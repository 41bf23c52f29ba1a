/// The files of a store in one string of bytes, so that a fuzzer can change them all.
///
/// Each file follows a line `@L2` (a log), `@S2` (a snapshot), `@T2` (an unfinished snapshot) or `@Q2`
/// (something in quarantine), with the generation. The LF before such a line is not the file's.
package enum StoreBytes {
    package static func files(in bytes: [UInt8]) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var name: String?
        var start = 0
        var place = 0
        func end(_ end: Int) {
            if let name { files[name] = Array(bytes[min(start, end)..<end]) }
        }
        while place < bytes.count {
            let lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
            if bytes[place] == UInt8(ascii: "@"), let next = fileName(bytes[(place + 1)..<lineEnd]) {
                end(max(start, place - 1))
                name = next
                start = min(lineEnd + 1, bytes.count)
            }
            place = lineEnd + 1
        }
        end(bytes.count)
        return files
    }

    package static func joined(_ files: [String: [UInt8]]) -> [UInt8] {
        var pieces: [[UInt8]] = []
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            guard let title = title(of: name) else { continue }
            pieces.append(Array("@\(title)\n".utf8) + bytes)
        }
        return Array(pieces.joined(separator: [0x0A]))
    }

    private static func fileName(_ title: ArraySlice<UInt8>) -> String? {
        guard title.count <= 11, title.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            let generation = Int(String(decoding: title.dropFirst(), as: UTF8.self))
        else { return nil }
        let digits = "\(generation)"
        let number = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return switch title.first {
        case UInt8(ascii: "L"): "log-\(number).jsonl"
        case UInt8(ascii: "S"): "snapshot-\(number).jsonl"
        case UInt8(ascii: "T"): "snapshot-\(number).jsonl.tmp"
        case UInt8(ascii: "Q"): "quarantine/\(number)"
        default: nil
        }
    }

    private static func title(of name: String) -> String? {
        guard let generation = Int(name.drop { !$0.isNumber }.prefix { $0.isNumber }) else { return nil }
        if name.hasSuffix(".tmp") { return "T\(generation)" }
        if name.hasPrefix("quarantine/") { return "Q\(generation)" }
        return name.hasPrefix("log") ? "L\(generation)" : "S\(generation)"
    }
}
