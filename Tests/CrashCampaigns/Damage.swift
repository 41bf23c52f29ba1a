import LogFormat
import TestSupport

/// Damage to the stable bytes of a store's files.
struct Damage: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case flippedBit = "flipped bit"
        case truncation
        case swappedLines = "swapped lines"
        case doubledLine = "doubled line"
        case missingLine = "missing line"
        case foreignLine = "foreign line"
        case carriageReturns = "CRLF conversion"
        case nuls = "NULs"
        case missingFile = "missing file"
        case emptyFile = "empty file"
        case swappedFiles = "swapped files"
    }

    var kind: Kind
    /// Which file, and what in it.
    var place: String
    /// The files of the store with the damage.
    var files: [String: [UInt8]]

    /// Calls `body` with every damage of every kind to one store.
    static func forEach(_ files: [String: [UInt8]], _ body: (Damage) -> Bool) {
        for name in files.keys.sorted() where name.hasSuffix(".jsonl") {
            guard let bytes = files[name] else { continue }
            var goesOn = true
            func give(_ kind: Kind, _ place: String, _ damaged: [UInt8]?) {
                guard goesOn else { return }
                var all = files
                all[name] = damaged
                goesOn = body(Damage(kind: kind, place: "\(name), \(place)", files: all))
            }
            damageBytes(bytes, give)
            damageLines(bytes, give)
            give(.missingFile, "the file is gone", nil)
            give(.emptyFile, "the file is empty", [])
            guard goesOn, swapFiles(files, name, body) else { return }
        }
    }

    private static func damageBytes(_ bytes: [UInt8], _ give: (Kind, String, [UInt8]?) -> Void) {
        for index in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                give(.flippedBit, "byte \(index), bit \(bit)", damaged)
            }
        }
        for length in bytes.indices { give(.truncation, "cut to \(length)", Array(bytes[..<length])) }
        for (size, step) in [(1, 1), (16, 3), (512, 64)] {
            for start in stride(from: 0, to: bytes.count, by: step) {
                var damaged = bytes
                for index in start..<min(bytes.count, start + size) { damaged[index] = 0 }
                give(.nuls, "\(size) from \(start)", damaged)
            }
        }
    }

    private static func damageLines(_ bytes: [UInt8], _ give: (Kind, String, [UInt8]?) -> Void) {
        let lines = bytes.split(separator: 0x0A).map { Array($0) + [0x0A] }
        give(.carriageReturns, "all lines", lines.flatMap { $0.dropLast() + [0x0D, 0x0A] })
        for index in lines.indices {
            func with(_ change: (inout [[UInt8]]) -> Void) -> [UInt8] {
                var changed = lines
                change(&changed)
                return Array(changed.joined())
            }
            give(.missingLine, "line \(index + 1)", with { $0.remove(at: index) })
            give(
                .carriageReturns,
                "line \(index + 1)",
                with { $0[index] = $0[index].dropLast() + [0x0D, 0x0A] }
            )
            for other in lines.indices {
                give(
                    .doubledLine,
                    "line \(index + 1) before line \(other + 1)",
                    with { $0.insert(lines[index], at: other) }
                )
                guard other > index else { continue }
                give(.swappedLines, "lines \(index + 1) and \(other + 1)", with { $0.swapAt(index, other) })
            }
            for (number, line) in foreignLines.enumerated() {
                give(.foreignLine, "\(number) before line \(index + 1)", with { $0.insert(line, at: index) })
            }
        }
        for (number, line) in foreignLines.enumerated() {
            give(.foreignLine, "\(number) at the end", bytes + line)
        }
    }

    /// Lines that a store's files may not hold where they come to stand.
    private static let foreignLines: [[UInt8]] = {
        var other = LogBuilder()
        other.header(store: "00000000-0000-0000-0000-000000000000")
        // Numbers that are never the next: a sound line that fits is no damage.
        other.put("foreign", "1", number: SequenceNumber(1_000_001))
        other.mark(number: SequenceNumber(1_000_002))
        other.footer()
        other.line(members: #""seq":4,"at":1,"op":"unknown"}"#)
        other.line(members: #""format":2,"kind":"log"}"#)
        other.raw("not a line at all\n")
        other.raw("half a line without an end")
        return other.ranges.map { other[$0] }
    }()

    private static func swapFiles(
        _ files: [String: [UInt8]],
        _ name: String,
        _ body: (Damage) -> Bool
    ) -> Bool {
        for other in files.keys.sorted() where other > name && other.hasSuffix(".jsonl") {
            var all = files
            (all[name], all[other]) = (files[other], files[name])
            guard body(Damage(kind: .swappedFiles, place: "\(name) and \(other)", files: all)) else {
                return false
            }
        }
        return true
    }
}
