package import LogFormat

/// What stands in a snapshot. In it every fault is corruption, since it was synced before it got its name.
package struct SnapshotObservations {
    package private(set) var header: FileHeader?
    /// The first fault.
    package private(set) var fault: LogObservations.Misplaced?
    package private(set) var records: UInt64 = 0
    package private(set) var lastTime: Int64 = .min

    private var footer: SnapshotFooter?
    private var last: SequenceNumber = .zero
    private var end = LinePlace(range: 0..<0, line: 1)
    private let isHeaderFit: (FileHeader) -> String?

    /// `headerFault` tells what in a valid header does not fit the name or the other files.
    package init(headerFault: @escaping (FileHeader) -> String?) {
        isHeaderFit = headerFault
    }

    /// Whether the record, if it is one, belongs to the state.
    package mutating func observe(_ line: ScannedLine) -> Bool {
        guard fault == nil else { return false }
        switch line {
        case .padding:
            return false
        case .header(let found, let place):
            if header != nil {
                fail(place, "a second header stands in the file")
            } else if let reason = isHeaderFit(found) {
                fail(place, reason)
            }
            header = found
            lastTime = found.time
        case .footer(let found, let place):
            if header == nil { fail(place, "the file does not begin with a valid header") }
            if footer != nil { fail(place, "a second footer stands in the file") }
            if found.records != records {
                fail(place, "the footer counts \(found.records) records, but \(records) stand before it")
            }
            footer = found
            end = place
        case .invalid(let bytes, let place):
            fail(
                place,
                header == nil ? "the file does not begin with a valid header" : bytes.reason.description
            )
        case .record(let record, let place):
            return observe(record, place)
        }
        end = line.place
        return false
    }

    private mutating func observe(_ record: Record, _ place: LinePlace) -> Bool {
        let number = record.sequenceNumber
        if let header {
            if footer != nil { fail(place, "a record stands behind the footer") }
            if record.operation == .mark { fail(place, "a mark stands in a snapshot") }
            if number <= last { fail(place, "record \(number) stands behind record \(last)") }
            if number >= header.firstSequenceNumber {
                fail(
                    place,
                    "record \(number) is not below the header's firstSeq, \(header.firstSequenceNumber)"
                )
            }
            if let synced = record.synced, synced >= number {
                fail(place, "record \(number) says that \(synced) was synced before it")
            }
        } else {
            fail(place, "the file does not begin with a valid header")
        }
        last = number
        records += 1
        lastTime = max(lastTime, record.time)
        end = place
        return fault == nil
    }

    /// The fault, once the whole file was seen, or nil when the snapshot is sound.
    package func verdict(file: String, length: UInt64) -> Corruption? {
        if let fault { return Corruption(fault.place, in: file, reason: fault.reason) }
        let rest = LinePlace(range: end.range.upperBound..<length, line: end.line + 1)
        if header == nil { return Corruption(rest, in: file, reason: "the file has no header") }
        if footer == nil { return Corruption(rest, in: file, reason: "the snapshot has no footer") }
        return nil
    }

    private mutating func fail(_ place: LinePlace, _ reason: String) {
        if fault == nil { fault = LogObservations.Misplaced(place: place, reason: reason) }
    }
}

extension InvalidBytes.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .frame: "the bytes are no line of a store"
        case .checksum(let stated, let computed):
            "the line's checksum is \(hexadecimal(computed)), not \(hexadecimal(stated)) as it states"
        case .shape: "the line's checksum holds, but it has none of the format's shapes"
        case .newerFormat(let format): "the line is a header of format \(format)"
        case .lineEnd: "the file ends inside a line"
        case .length: "the line is longer than any that is read"
        }
    }
}

private func hexadecimal(_ checksum: UInt32) -> String {
    let digits = String(checksum, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
