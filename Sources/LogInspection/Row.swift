/// The rows of the table that tells a torn tail from corruption, with the letters of the design.
package enum Row: Hashable, Sendable {
    /// H: the first line is no header of this file, or the file is missing.
    case header
    /// E: a number repeated or lower, or a line of no known shape.
    case order
    /// Any fault in a file that was synced before the next one was made.
    case sealed
    /// C: a record that was on stable storage is gone.
    case covered
    /// D: foreign bytes between two records that follow each other.
    case foreign
    /// G: an append whose bytes never came, with later ones behind it.
    case gap
    /// B: an append cut short.
    case torn
    /// F: a batch cut short.
    case batch
    /// The first line is that of a later format.
    case newer

    package var verdict: Verdict {
        switch self {
        case .header, .order, .sealed, .covered, .foreign: .corruption
        case .gap, .torn, .batch: .tornTail
        case .newer: .newerFormat
        }
    }

    /// The row that an observation falls under; the first that fits, from H to F.
    ///
    /// `mayBeTorn`: the file is the highest log. In any other every fault is corruption, since the
    /// header of the next log says that all before it was synced.
    init(_ seen: Observation, mayBeTorn: Bool) {
        switch seen.cause {
        case .newerFormat:
            self = .newer
        case .noHeader, .misfit, .missingLogs:
            self = .header
        case .misshapen, .number:
            self = .order
        case .bytes, .gap, .openBatch, .noFooter, .footerCount:
            self =
                if seen.isBehindMissingHeader {
                    .header
                } else if seen.isBeforeMisshapenLine {
                    .order
                } else if !mayBeTorn {
                    .sealed
                } else if seen.isCovered {
                    .covered
                } else {
                    Self.unsynced(seen)
                }
        }
    }

    /// The row when nothing says that what is missing was ever on stable storage.
    private static func unsynced(_ seen: Observation) -> Row {
        switch seen.cause {
        case .bytes where seen.firstNumberBehind == seen.expected: .foreign
        case .gap: .gap
        case .openBatch: .batch
        default: .torn
        }
    }
}
