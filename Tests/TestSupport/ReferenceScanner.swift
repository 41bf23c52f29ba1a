import LogFormat

/// What a file's bytes are, in runs: neighbouring pieces that are invalid, or padding, are joined, so
/// that it does not depend on how a scanner cuts them.
package struct Coverage: Hashable, CustomStringConvertible {
    package enum Kind: Hashable {
        case line
        case padding
        case invalid
    }

    package struct Run: Hashable {
        package var kind: Kind
        package var range: Range<Int>
    }

    package private(set) var runs: [Run] = []

    package init() {}

    package init(_ items: [ByteFile.Item]) {
        for item in items {
            let kind: Kind
            switch item.content {
            case .header, .record, .footer: kind = .line
            case .padding: kind = .padding
            case .invalid: kind = .invalid
            }
            append(kind, Int(item.place.range.lowerBound)..<Int(item.place.range.upperBound))
        }
    }

    mutating func append(_ kind: Kind, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if kind != .line, let last = runs.last, last.kind == kind, last.range.upperBound == range.lowerBound {
            runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
        } else {
            runs.append(Run(kind: kind, range: range))
        }
    }

    package var description: String {
        runs.map { "\($0.kind) \($0.range)" }.joined(separator: ", ")
    }
}

/// The rules of FORMAT.md for a whole file in memory, written for plainness: split at LFs; a line is
/// as it stands or begins at the first `{"crc":"` in it whose checksum holds up to the LF.
package enum ReferenceScanner {
    private static let marker = Array(#"{"crc":""#.utf8)

    package static func coverage(_ bytes: [UInt8]) -> Coverage {
        var coverage = Coverage()
        var start = 0
        while start < bytes.count {
            guard let lineFeed = bytes[start...].firstIndex(of: 0x0A) else {
                coverage.append(.invalid, start..<bytes.count)
                break
            }
            let end = lineFeed + 1
            if lineFeed == start {
                coverage.append(.padding, start..<end)
            } else if let beginning = (start..<lineFeed).first(where: { checksumHolds(bytes[$0..<lineFeed]) })
            {
                coverage.append(.invalid, start..<beginning)
                let isLine =
                    ByteFile(Array(bytes[beginning..<end])).items().first?.content.isValidLine ?? false
                coverage.append(isLine ? .line : .invalid, beginning..<end)
            } else {
                coverage.append(.invalid, start..<end)
            }
            start = end
        }
        return coverage
    }

    /// Whether bytes without their LF are framed as a line and have the checksum that they state.
    private static func checksumHolds(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > 18, line.starts(with: marker) else { return false }
        return LogBuilder.line(members: Array(line.dropFirst(18))).dropLast().elementsEqual(line)
    }
}
