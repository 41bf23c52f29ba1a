import LogFormat
import LogInspection
import LogStorage

/// What stands in quarantined bytes.
enum QuarantinedLine {
    /// Its views are valid until the next line is read.
    case record(Record, LinePlace)
    case damage(Damage)
    case header(FileHeader, LinePlace)
    case footer(LinePlace)

    /// Bytes that are no line, up to the end of theirs.
    struct Damage {
        var range: Range<UInt64>
        var line: UInt64
        var reason: String
        /// What they still show. Not to be trusted.
        var lost: DamagedLine?
    }
}

/// Reads the lines of a file, with the pieces of a damaged one joined.
struct LineReading: ~Copyable {
    private var scanner: LogScanner
    private var damage: QuarantinedLine.Damage?
    private var held: ScannedLine?

    init(length: UInt64) {
        scanner = LogScanner(length: length)
    }

    mutating func next(of file: any StorageFile) throws(MaintenanceError) -> QuarantinedLine? {
        if let line = held {
            held = nil
            return Self.plain(line)
        }
        while let line = try scan(file) {
            switch line {
            case .padding:
                continue
            case .invalid(let bytes, let place):
                if damage?.line == place.line, damage?.range.upperBound == place.offset, let start = damage {
                    damage?.range = start.range.lowerBound..<place.range.upperBound
                    continue
                }
                let before = damage
                damage = QuarantinedLine.Damage(
                    range: place.range,
                    line: place.line,
                    reason: bytes.reason.sentence,
                    lost: bytes.isBlank ? nil : DamagedLine(bytes.bytes)
                )
                if let before { return .damage(before) }
            case .record, .header, .footer:
                guard let before = damage else { return Self.plain(line) }
                // The scanner is not asked again before the line is handed on.
                damage = nil
                held = line
                return .damage(before)
            }
        }
        defer { damage = nil }
        return damage.map { .damage($0) }
    }

    private static func plain(_ line: ScannedLine) -> QuarantinedLine? {
        switch line {
        case .record(let record, let place): .record(record, place)
        case .header(let header, let place): .header(header, place)
        case .footer(_, let place): .footer(place)
        case .padding, .invalid: nil
        }
    }

    private mutating func scan(_ file: any StorageFile) throws(MaintenanceError) -> ScannedLine? {
        while true {
            switch scanner.next() {
            case .line(let line): return line
            case .end: return nil
            case .needsBytes(let offset, let buffer):
                let count = try storage { () throws(StorageError) in try file.read(at: offset, into: buffer) }
                guard count > 0 else {
                    throw MaintenanceError(.inputOutput, "The bytes became fewer while they were read.")
                }
                scanner.didRead(count)
            }
        }
    }
}

extension InvalidBytes.Reason {
    fileprivate var sentence: String {
        switch self {
        case .frame: "the bytes do not begin like a line"
        case .checksum: "the line's checksum does not hold"
        case .shape: "the line's checksum holds, but it has no known shape"
        case .newerFormat(let format): "the line is of format \(format)"
        case .lineEnd: "the bytes end inside a line"
        case .length: "there is no line end within the longest line that is read"
        }
    }
}
