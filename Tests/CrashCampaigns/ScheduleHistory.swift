import LogFormat
import TestSupport

/// The records that a store has written to its logs, in their order: what it has decided on, as the disk
/// sees it, whatever order the tasks ran in.
///
/// Unchecked: used by the one thread that a schedule runs on.
final class ScheduleHistory: @unchecked Sendable {
    struct Entry {
        /// Nil for a mark.
        var id: String?
        /// Nil for a delete.
        var value: String?
        /// Whether the next record belongs to the same batch.
        var more: Bool

        /// Who wrote the value.
        var token: Substring? { part(3) }

        var count: Int? { part(6).flatMap { Int($0.dropFirst().dropLast()) } }

        /// Of `{"by":"…","count":…,"id":"…"}`, between its quotation marks.
        private func part(_ index: Int) -> Substring? {
            guard let parts = value?.split(separator: "\""), parts.count > index else { return nil }
            return parts[index]
        }
    }

    private let start: Moment
    /// Whether the store is open: opening may write again what is there.
    private(set) var isOpen = false
    private(set) var entries: [Entry] = []
    /// The last number that was written whole.
    private(set) var written: UInt64
    /// What no death of the process may take.
    private(set) var acknowledged: UInt64
    /// What no power cut may take.
    private(set) var stable: UInt64
    /// The last number of what is being written.
    private var atWork: UInt64?
    /// How many syncs of logs have succeeded.
    private(set) var syncs = 0
    private(set) var violation: Violation?

    init(_ start: Moment) {
        self.start = start
        written = start.number
        acknowledged = start.number
        stable = start.number
    }

    // MARK: What the disk sees

    func didOpen() { isOpen = true }

    /// A write that fails may leave its records all the same, until the next one.
    func willWrite(_ bytes: [UInt8]) {
        guard isOpen else { return }
        atWork = nil
        for record in ByteFile(bytes).items(windowSize: 4 << 10).records {
            let number = record.head.sequenceNumber.rawValue
            if number <= max(acknowledged, stable) {
                fail(.mutationsAfterRecoverySurvive, "number \(number) is given away again")
            }
            guard number > start.number, number <= start.number + UInt64(entries.count) + 1 else {
                return fail(.recoveredIsAPrefix, "number \(number) is written out of its order")
            }
            entries.removeSubrange(Int(number - start.number - 1)...)
            entries.append(
                Entry(
                    id: record.operation == .mark ? nil : String(decoding: record.id, as: UTF8.self),
                    value: record.operation == .put ? String(decoding: record.value, as: UTF8.self) : nil,
                    more: record.head.more
                )
            )
            atWork = number
        }
    }

    func didWrite() { written = atWork ?? written }

    func didSync() { syncs += 1 }

    // MARK: What callers are told

    /// The records up to this number are acknowledged.
    func acknowledge(_ number: UInt64, isStable: Bool) {
        acknowledged = max(acknowledged, number)
        if isStable { stable = max(stable, number) }
    }

    /// The number of the last record that `isWanted`, or nil.
    func lastNumber(where isWanted: (Entry) -> Bool) -> UInt64? {
        entries.lastIndex(where: isWanted).map { start.number + UInt64($0) + 1 }
    }

    func entry(_ number: UInt64) -> Entry? {
        guard number > start.number, number <= start.number + UInt64(entries.count) else { return nil }
        return entries[Int(number - start.number) - 1]
    }

    /// Whether there is a record that is no mark behind `low` and before `high`.
    func hasChanges(between low: UInt64, and high: UInt64) -> Bool {
        low + 1 < high && (low + 1..<high).contains { entry($0)?.id != nil }
    }

    func isOfStart(_ id: String, _ token: String) -> Bool {
        guard let value = start.state["\"\(id)\""] else { return false }
        return Entry(id: id, value: value, more: false).token ?? "" == token
    }

    /// The last number of a batch that holds all of what a call has saved, and nothing else.
    func batch(of token: String, count: Int) -> UInt64? {
        guard let last = entries.lastIndex(where: { $0.token ?? "" == token }), last + 1 >= count,
            !entries[last].more, last + 1 == count || !entries[last - count].more
        else { return nil }
        let all = entries[last - count + 1...last]
        guard all.allSatisfy({ $0.token ?? "" == token }), all.dropLast().allSatisfy(\.more) else {
            return nil
        }
        return start.number + UInt64(last) + 1
    }

    // MARK: Judgement

    /// The state after a number, or nil when a batch does not end there.
    func moment(at number: UInt64) -> Moment? {
        guard number >= start.number, number <= start.number + UInt64(entries.count) else { return nil }
        var moment = start
        var isWhole = true
        for entry in entries.prefix(Int(number - start.number)) {
            moment.number += 1
            isWhole = !entry.more
            if let id = entry.id { moment.state[id] = entry.value }
        }
        return isWhole ? moment : nil
    }

    /// Each update counts once, and what is moved from one account to the other is not lost between.
    func checkAtomicity() throws {
        if let violation { throw violation }
        var counter = 0
        var accounts = ["\"x\"": 0, "\"y\"": 0]
        for entry in entries {
            guard let id = entry.id, let count = entry.count else { continue }
            if id == "\"n\"" {
                guard count == counter + 1 else {
                    throw Violation(.updatesAreAtomic, "the counter goes from \(counter) to \(count)")
                }
                counter = count
            }
            if accounts[id] != nil { accounts[id] = count }
            let sum = accounts.values.reduce(0, +)
            guard entry.more || sum == 0 else {
                throw Violation(.updatesAreAtomic, "the accounts hold \(accounts)")
            }
        }
    }

    func fail(_ invariant: Violation.Invariant, _ text: String) {
        if violation == nil { violation = Violation(invariant, text) }
    }
}
