import CrashCampaigns
import LogEngine
import LogFormat
import TestSupport

extension TableCase {
    /// Row G: a number is missing, and no bytes are invalid.
    static let gap: [TableCase] = [
        TableCase("a record lost in padding", next: 2) {
            $0.put("a", "1")
            $0.padding(100)
            $0.put("c", "3", number: SequenceNumber(3))
        },
        TableCase("a record lost without a trace", next: 2) {
            $0.put("a", "1")
            $0.put("c", "3", number: SequenceNumber(3))
        },
        TableCase("the first record lost", next: 1) { $0.put("b", "2", number: SequenceNumber(2)) },
        TableCase("a record lost inside a batch", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.put("d", "4", number: SequenceNumber(4))
        },
        TableCase("the start of a batch lost", next: 2) {
            $0.put("a", "1")
            $0.put("c", "3", number: SequenceNumber(3))
            $0.put("d", "4")
        },
        TableCase("what follows says that all before the gap was synced", next: 2) {
            $0.put("a", "1")
            $0.put("c", "3", number: SequenceNumber(3), synced: .first)
        },
        TableCase("invalid bytes behind the gap", next: 2) {
            $0.put("a", "1")
            $0.put("c", "3", number: SequenceNumber(3))
            $0.raw("half of a line")
        },
        TableCase("a lower number behind the gap is not judged", next: 2) {
            $0.put("a", "1")
            $0.put("d", "4", number: SequenceNumber(4))
            $0.put("c", "3", number: SequenceNumber(3))
        },
    ]

    /// Row B: an append that was cut short.
    static let tornTail: [TableCase] = [
        TableCase("half a line", next: 2) {
            $0.put("a", "1")
            $0.raw(#"{"crc":"12345678","seq":2,"at":17"#)
        },
        TableCase("half a line and an LF", next: 2) {
            $0.put("a", "1")
            $0.raw(#"{"crc":"12345678","seq":2,"at":17"# + "\n")
        },
        TableCase("a line without its LF", next: 2) {
            $0.put("a", "1")
            let line = $0.put("b", "2")
            $0.overwrite(line.upperBound - 1..<line.upperBound, with: 0)
        },
        TableCase("NULs", next: 2) {
            $0.put("a", "1")
            $0.raw([UInt8](repeating: 0, count: 99))
        },
        TableCase("NULs and LFs", next: 2) {
            $0.put("a", "1")
            $0.raw([0x0A, 0, 0, 0x0A, 0x0A, 0])
        },
        TableCase("garbage", next: 1) { $0.raw([0xFF, 0x0A, 0x7B, 0x22, 0x63, 0x0A, 0x80]) },
        TableCase("the last record damaged", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
        },
        TableCase("a later record of the same group landed", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            $0.put("c", "3")
        },
        TableCase("what landed says that all before X was synced", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            $0.put("c", "3", synced: .first)
        },
        TableCase("a later record of the group, inside the damaged line", next: 2) {
            $0.put("a", "1")
            let line = $0.put("b", "2")
            $0.put("c", "3")
            $0.overwrite(line.upperBound - 1..<line.upperBound, with: 0)
        },
        TableCase("inside a batch", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.damage($0.put("c", "3"))
        },
        TableCase("inside a batch, and its last record landed", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.damage($0.put("c", "3", more: true))
            $0.put("d", "4")
        },
        TableCase("behind the fault in a batch the number after X is not that expected there", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.raw("half of a line\n")
            $0.put("b", "2", number: SequenceNumber(2))
        },
        TableCase("the number expected at the fault is not the first behind it", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            $0.put("c", "3")
            $0.put("b", "2", number: SequenceNumber(2))
        },
        TableCase("a repeated number behind invalid bytes is not judged", next: 2) {
            $0.put("a", "1")
            $0.raw("half of a line\n")
            $0.put("a", "1", number: .first)
        },
        TableCase("a torn tail behind a mark", next: 3) {
            $0.put("a", "1")
            $0.mark()
            $0.raw("half of a line")
        },
        TableCase("a torn tail behind padding", next: 2) {
            $0.put("a", "1")
            $0.padding(70)
            $0.raw("half of a line")
            $0.padding(70)
        },
        TableCase("no record but half a one", next: 1) { $0.raw(#"{"crc":"#) },
    ]

    /// Row F: the file ends inside a batch.
    static let openBatch: [TableCase] = [
        TableCase("a batch without its end", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.put("c", "3", more: true)
        },
        TableCase("a batch of one without its end", next: 1) { $0.put("a", "1", more: true) },
        TableCase("a batch without its end, and padding", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.padding(50)
        },
        TableCase("a batch without its end behind a mark", next: 3) {
            $0.put("a", "1")
            $0.mark()
            $0.delete("a", synced: SequenceNumber(2), more: true)
        },
        TableCase("a batch without its end that says what came before it", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", synced: .first, more: true)
        },
    ]

    /// Row A: nothing is wrong.
    static let sound: [TableCase] = [
        TableCase("a header alone", next: 1) { _ in },
        TableCase("a header and padding", next: 1) { $0.padding(200) },
        TableCase("padding before the header", next: 2, header: false) {
            $0.padding(3)
            $0.header()
            $0.put("a", "1")
        },
        TableCase("records that say nothing", next: 4) { log in
            for id in ["a", "b", "c"] { log.put(id, "1") }
        },
        TableCase("padding between and behind", next: 3) {
            $0.padding(1)
            $0.put("a", "1")
            $0.padding(5000)
            $0.put("b", "2", synced: .first)
            $0.padding(1)
        },
        TableCase("a batch", next: 4) { $0.batch([("a", "1"), ("b", "2"), ("c", "3")]) },
        TableCase("padding inside a batch", next: 3) {
            $0.put("a", "1", more: true)
            $0.padding(10)
            $0.put("b", "2")
        },
        TableCase("deletes, synced and schema", next: 4) {
            $0.put("a", "1", schema: 7)
            $0.delete("a", synced: .first)
            $0.delete("never", synced: SequenceNumber(2))
        },
        TableCase("a mark at the end", next: 3) {
            $0.put("a", "1")
            $0.mark()
        },
        TableCase("marks between", next: 5) {
            $0.put("a", "1")
            $0.mark()
            $0.put("b", "2", synced: SequenceNumber(2))
            $0.mark()
        },
        TableCase("times that fall: a reader does not judge them", next: 3) {
            $0.put("a", "1")
            $0.time = 5
            $0.put("b", "2")
        },
    ]
}
