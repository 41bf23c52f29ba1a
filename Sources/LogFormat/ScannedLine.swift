/// What a scanner saw in a range of a file. It observes; whether a fault is a torn tail or corruption
/// is decided above.
package enum ScannedLine {
    case header(FileHeader, LinePlace)
    case record(Record, LinePlace)
    case footer(SnapshotFooter, LinePlace)
    /// A run of empty lines.
    case padding(LinePlace)
    /// Bytes that are no valid line: at most one line, and a long one in several pieces.
    case invalid(InvalidBytes, LinePlace)

    package var place: LinePlace {
        switch self {
        case .header(_, let place), .record(_, let place), .footer(_, let place), .padding(let place),
            .invalid(_, let place):
            place
        }
    }
}

/// Where something stands in a file.
package struct LinePlace: Hashable, Sendable {
    /// In bytes from the start of the file, the LF of the last line included.
    package var range: Range<UInt64>
    /// Twice the line's number, and one more inside a damaged line: in one word, since a place is copied
    /// for each line.
    private var lineAndDamage: UInt64

    /// The number of the (first) line, from 1, as `sed -n Np` counts.
    package var line: UInt64 { lineAndDamage >> 1 }
    /// Whether it begins inside a line whose beginning is invalid, not behind an LF.
    package var isInsideDamagedLine: Bool { lineAndDamage & 1 == 1 }

    package init(range: Range<UInt64>, line: UInt64, isInsideDamagedLine: Bool = false) {
        self.range = range
        lineAndDamage = line << 1 | (isInsideDamagedLine ? 1 : 0)
    }

    /// In bytes from the start of the file.
    package var offset: UInt64 { range.lowerBound }

    package var length: UInt64 { range.upperBound - range.lowerBound }
}

/// Why bytes are no valid line.
package struct InvalidBytes {
    package enum Reason: Hashable, Sendable {
        /// The line does not start with `{"crc":"xxxxxxxx",`.
        case frame
        /// The line's bytes do not have the checksum that it states.
        case checksum(stated: UInt32, computed: UInt32)
        /// The checksum holds, but the line has none of the shapes: no crash writes that.
        case shape
        /// The checksum holds, and the line is a file header of a later format.
        case newerFormat(UInt64)
        /// The file ends before the line's LF.
        case lineEnd
        /// No LF within the longest line that is read.
        case length
    }

    package var reason: Reason
    /// A view of the bytes, valid until the scanner is asked for its next line.
    package var bytes: UnsafeRawBufferPointer

    /// Whether the bytes hold nothing: NULs, and perhaps an LF.
    package var isBlank: Bool {
        bytes.allSatisfy { $0 == 0 || $0 == 0x0A }
    }

    /// Whether the checksum holds all the same, so that the line was written as it stands.
    package var isIntact: Bool {
        switch reason {
        case .shape, .newerFormat: true
        case .frame, .checksum, .lineEnd, .length: false
        }
    }
}
