import LogFormat

/// What the records of a store are counted by.
package enum StatisticsKey: String, CaseIterable, Sendable {
    case id
    case operation = "op"
    /// The hour, in UTC, in which a record was written.
    case hour
    /// The length of the line, in powers of two.
    case size
}

/// Counts the records of a store and their bytes, in groups.
///
/// A number counts as one record, however many files hold it; each line counts with its bytes. A torn tail
/// and what stands inside damaged lines do not count.
struct Statistics {
    struct Group {
        /// Records, each number once.
        var records: UInt64 = 0
        /// Of all lines, copies in snapshots too.
        var bytes: UInt64 = 0
    }

    private let key: StatisticsKey
    private(set) var total = Group()
    private var ids = IDTable()
    private var byID = Chunks<Group>()
    /// By the hour since 1970, the number of the operation, or the exponent of the size.
    private var byNumber: [Int64: Group] = [:]

    init(_ verification: Verification, by key: StatisticsKey) throws(InspectionError) {
        self.key = key
        try RecordReading.run(verification) { record, place, isNew, _ in
            count(record, Group(records: isNew ? 1 : 0, bytes: place.length))
        }
    }

    private mutating func count(_ record: Record, _ group: Group) {
        total.add(group)
        switch key {
        case .id:
            guard record.operation != .mark else { return }
            let index = ids.insert(record.id)
            if index == byID.count { byID.append(Group()) }
            byID[index].add(group)
        case .operation: byNumber[Int64(record.operation.rawValue), default: Group()].add(group)
        case .hour:
            let hour = record.time / 3_600_000 - (record.time % 3_600_000 < 0 ? 1 : 0)
            byNumber[hour, default: Group()].add(group)
        case .size:
            let exponent = 64 - (group.bytes - 1).leadingZeroBitCount
            byNumber[Int64(exponent), default: Group()].add(group)
        }
    }

    // MARK: Groups

    /// The groups in the order in which they are shown: ids by their bytes, the largest first, and all else
    /// by what they are counted by. `limit` is for ids.
    func forEachGroup(
        limit: Int?,
        _ body: (GroupName, Group) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        guard key == .id else {
            for (number, group) in byNumber.sorted(by: { $0.key < $1.key }) {
                try body(name(number), group)
            }
            return
        }
        var order = byID.indices.map { UInt32($0) }
        order.sort { left, right in
            let (a, b) = (byID[Int(left)].bytes, byID[Int(right)].bytes)
            return a != b ? a > b : ids.precedes(Int(left), Int(right))
        }
        for index in order.prefix(limit ?? order.count) {
            try body(.id(ids.spelling(Int(index))), byID[Int(index)])
        }
    }

    var groupCount: Int { key == .id ? byID.count : byNumber.count }

    enum GroupName {
        case id([UInt8])
        case operation(Record.Operation)
        /// Milliseconds since 1970-01-01 UTC.
        case hour(Int64)
        /// Lines of at most so many bytes, and more than half of it.
        case size(UInt64)
    }

    private func name(_ number: Int64) -> GroupName {
        switch key {
        case .id: .id([])
        case .operation: .operation(Record.Operation(rawValue: UInt8(number)) ?? .mark)
        case .hour: .hour(number * 3_600_000)
        case .size: .size(1 << UInt64(number))
        }
    }
}

extension Statistics.Group {
    mutating func add(_ other: Statistics.Group) {
        records += other.records
        bytes += other.bytes
    }
}
