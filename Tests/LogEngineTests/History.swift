import CrashCampaigns
import LogEngine
import LogFormat
import TestSupport

/// A sound log that is composed beside a model of what it says, so that a test can tell what any
/// damage to it may lead to.
struct History {
    /// What counts together: a record alone, a mark, or a batch.
    struct Group {
        var range: Range<Int>
        var numbers: ClosedRange<UInt64>
        /// What the store holds with it.
        var moment: Moment
    }

    private(set) var log = LogBuilder()
    private(set) var groups: [Group] = []
    let header: Range<Int>
    private(set) var padding: [Range<Int>] = []
    /// What each line says was synced, and where the line stands.
    private(set) var said: [(synced: UInt64, offset: Int)] = []

    init() {
        header = log.header()
    }

    var bytes: [UInt8] { log.bytes }

    var last: Moment { groups.last?.moment ?? .beginning }

    /// The changes as one batch; its first record says how far the log was synced.
    mutating func append(_ changes: [Change], synced: UInt64? = nil) {
        let start = log.bytes.count
        let moment = last.after(changes)
        if let synced { said.append((synced, start)) }
        for (index, change) in changes.enumerated() {
            let more = index < changes.count - 1
            let synced = index == 0 ? synced.map { SequenceNumber($0) } : nil
            if let value = change.value {
                log.put(change.id, value, synced: synced, more: more)
            } else {
                log.delete(change.id, synced: synced, more: more)
            }
        }
        add(start, moment, count: changes.count)
    }

    mutating func mark() {
        let start = log.bytes.count
        said.append((last.number, start))
        log.mark()
        add(start, Moment(number: last.number + 1, state: last.state), count: 1)
    }

    mutating func pad(_ count: Int) { padding.append(log.padding(count)) }

    private mutating func add(_ start: Int, _ moment: Moment, count: Int) {
        let first = moment.number + 1 - UInt64(count)
        groups.append(
            Group(range: start..<log.bytes.count, numbers: first...moment.number, moment: moment)
        )
    }

    /// A history with all that a log can hold.
    static func varied(withPadding: Bool = true) -> History {
        var history = History()
        history.append([.put("a", #"{"crc":"00000000","x":1}"#)])
        history.append([.put("b", "2")])
        history.append([.put("c", "3"), .delete("a"), .put("b", "4")], synced: 2)
        if withPadding { history.pad(5) }
        history.append([.put("é\n", #""z""#)])
        history.mark()
        history.append([.put("a", "5"), .put("a", "6")], synced: 7)
        if withPadding { history.pad(1) }
        history.append([.delete("b")])
        history.append([.put("d", "[]")], synced: 9)
        history.append([.put("e", "7"), .delete("c")])
        history.append([.put("f", "8")])
        if withPadding { history.pad(12) }
        return history
    }
}
