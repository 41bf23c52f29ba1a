package import LogFormat

/// Torn tail or corruption: the table of RECOVERY.md section 2, decided from what was observed.
package enum LogVerdict: Hashable, Sendable {
    case sound
    /// An append that a crash cut short: everything from `end` on goes.
    case tornTail(reason: String)
    /// Damage that no crash explains.
    case corruption(Corruption)

    /// The rows of the table, in the order in which they are judged.
    package enum Row: Hashable, Sendable {
        case header
        case misplacedLine
        case coveredBySync
        case foreignBytes
        case gap
        case tornTail
        case openBatch
        case sound
    }

    /// The row of the table that fits the highest log.
    package static func row(of log: LogObservations) -> Row {
        if log.headerFault != nil || log.header == nil { return .header }
        if log.misplaced != nil { return .misplacedLine }
        let isInvalid =
            switch log.fault {
            case .invalidBytes: true
            case .gap, nil: false
            }
        if log.fault != nil || log.isInsideBatch, log.syncedBehind >= log.next { return .coveredBySync }
        if isInvalid, log.firstBehindInvalid == log.expectedAtFault { return .foreignBytes }
        if isInvalid { return .tornTail }
        if log.fault != nil { return .gap }
        return log.isInsideBatch ? .openBatch : .sound
    }

    /// The verdict on the highest log, the only one that may end in a torn tail.
    package static func onHighest(_ log: LogObservations, file: String, length: UInt64) -> LogVerdict {
        let fault = log.faultPlace ?? LinePlace(range: log.end..<log.end, line: log.endLine)
        func corrupt(_ place: LinePlace, _ reason: String) -> LogVerdict {
            .corruption(Corruption(place, in: file, reason: reason))
        }
        switch row(of: log) {
        case .header:
            guard let found = log.headerFault else {
                return corrupt(LinePlace(range: 0..<length, line: 1), "the file has no header")
            }
            return corrupt(found.place, found.reason)
        case .misplacedLine:
            guard let found = log.misplaced else { preconditionFailure("Row E has a misplaced line.") }
            return corrupt(found.place, found.reason)
        case .coveredBySync:
            let reason =
                "record \(log.next) is gone, but a later line says that \(log.syncedBehind) was synced"
            return corrupt(fault, reason)
        case .foreignBytes:
            return corrupt(fault, "foreign bytes stand before record \(log.expectedAtFault)")
        case .gap:
            return .tornTail(
                reason: "record \(log.next) never reached the file, a later one of its group did"
            )
        case .tornTail:
            return .tornTail(reason: "an append was cut short at record \(log.next)")
        case .openBatch:
            return .tornTail(reason: "the batch that begins with record \(log.next) has no end")
        case .sound:
            return .sound
        }
    }

    /// The verdict on a log that a later one continues: that one's header says that all before it was
    /// synced, so every fault is corruption.
    package static func onEarlier(_ log: LogObservations, file: String, length: UInt64) -> LogVerdict {
        switch onHighest(log, file: file, length: length) {
        case .sound: return .sound
        case .corruption(let corruption): return .corruption(corruption)
        case .tornTail(let reason):
            let place = log.faultPlace ?? LinePlace(range: log.end..<length, line: log.endLine)
            return .corruption(
                Corruption(place, in: file, reason: "\(reason), and a later log says that it was synced")
            )
        }
    }
}

extension Corruption {
    package init(_ place: LinePlace, in file: String, reason: String) {
        self.init(file: file, line: place.line, offset: place.offset, length: place.length, reason: reason)
    }
}
