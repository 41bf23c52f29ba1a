import CrashCampaigns
import LogEngine
import LogFormat
import TestSupport

extension TableCase {
    /// Row H: the first line is no valid header, or does not fit.
    static let header: [TableCase] = [
        TableCase("an empty file", header: false) { _ in },
        TableCase("nothing but padding", header: false) { $0.padding(300) },
        TableCase("nothing but NULs", header: false) { $0.raw([UInt8](repeating: 0, count: 300)) },
        TableCase("no header", header: false) { $0.put("a", "1") },
        TableCase("a footer first", header: false) { $0.footer() },
        TableCase("half a header", header: false) {
            var log = LogBuilder()
            let line = log.header()
            $0.raw(Array(log[line].prefix(70)))
        },
        TableCase("a header without its LF", header: false) {
            var log = LogBuilder()
            let line = log.header()
            $0.raw(Array(log[line].dropLast()))
        },
        TableCase("a flipped bit in the header", header: false) {
            $0.damage($0.header())
            $0.put("a", "1")
        },
        TableCase("a foreign line before the header", header: false) {
            $0.raw("hello\n")
            $0.header()
            $0.put("a", "1")
        },
        TableCase("a line of no shape before the header", header: false) {
            $0.line(members: #""x":1}"#)
            $0.header()
        },
        TableCase("foreign bytes before the header on its line", header: false) {
            $0.raw("x")
            $0.header()
            $0.put("a", "1")
        },
        TableCase("the header of a snapshot", header: false) { $0.header(.snapshot) },
        TableCase("another generation", header: false) { $0.header(generation: 2) },
        TableCase("another firstSeq with records", header: false) {
            $0.header(firstSequenceNumber: SequenceNumber(5))
            $0.put("a", "1")
        },
        TableCase("a header that does not fit, before rows E and C", header: false) {
            $0.header(generation: 2)
            $0.put("a", "1")
            $0.put("a", "1", number: .first)
            $0.put("b", "2", synced: .first)
        },
        TableCase("line endings that were converted", header: false) {
            var log = LogBuilder()
            let lines = [log.header(), log.put("a", "1")]
            for line in lines { $0.raw(Array(log[line].dropLast()) + [0x0D, 0x0A]) }
        },
    ]

    /// Row E: out of order, or of no shape that may stand there.
    static let misplacedLine: [TableCase] = [
        TableCase("a repeated number") {
            $0.put("a", "1")
            $0.put("a", "1", number: .first)
        },
        TableCase("a lower number") {
            for id in ["a", "b", "c"] { $0.put(id, "1") }
            $0.put("d", "1", number: .first)
        },
        TableCase("a repeated number behind padding") {
            $0.put("a", "1")
            $0.padding(9)
            $0.put("a", "1", number: .first)
        },
        TableCase("a repeated number inside a batch") {
            $0.put("a", "1")
            $0.put("b", "1", more: true)
            $0.put("b", "1", number: SequenceNumber(2), more: true)
            $0.put("c", "1")
        },
        TableCase("a lower number inside a batch") {
            $0.put("a", "1")
            $0.put("b", "1", more: true)
            $0.put("a", "1", number: .first)
        },
        TableCase("number 0 is no shape") {
            $0.line(members: #""seq":0,"at":1,"op":"delete","id":"a"}"#)
        },
        TableCase("a second header") {
            $0.put("a", "1")
            $0.header()
        },
        TableCase("a second header inside a batch") {
            $0.put("a", "1", more: true)
            $0.header()
            $0.put("b", "1")
        },
        TableCase("a second header behind invalid bytes") {
            $0.put("a", "1")
            $0.raw("x\n")
            $0.header()
        },
        TableCase("a footer in a log") {
            $0.put("a", "1")
            $0.footer()
        },
        TableCase("a footer behind invalid bytes") {
            $0.put("a", "1")
            $0.raw("x\n")
            $0.footer()
        },
        TableCase("a record of no known shape") {
            $0.line(members: #""seq":1,"at":1,"op":"copy","id":"a"}"#)
        },
        TableCase("a record with a foreign member") {
            $0.line(members: #""seq":1,"at":1,"by":"me","op":"delete","id":"a"}"#)
        },
        TableCase("a mark without synced") { $0.line(members: #""seq":1,"at":1,"op":"mark"}"#) },
        TableCase("a line of no shape behind invalid bytes") {
            $0.put("a", "1")
            $0.raw("x\n")
            $0.line(members: #""x":1}"#)
        },
        TableCase("a header of a later format that is not the first line") {
            $0.put("a", "1")
            $0.line(members: #""format":2,"kind":"log"}"#)
        },
        TableCase("synced equal to seq") { $0.put("a", "1", synced: .first) },
        TableCase("synced above seq") { $0.put("a", "1", synced: SequenceNumber(7)) },
        TableCase("a mark that says itself was synced") { $0.mark(synced: .first) },
        TableCase("synced equal to seq inside a batch") {
            $0.put("a", "1", more: true)
            $0.put("b", "1", synced: SequenceNumber(2))
        },
        TableCase("synced equal to seq behind X") {
            $0.put("a", "1")
            $0.raw("x\n")
            $0.put("c", "1", number: SequenceNumber(3), synced: SequenceNumber(3))
        },
        TableCase("row E before rows C and D") {
            $0.damage($0.put("a", "1"))
            $0.put("b", "1", synced: .first)
            $0.header()
        },
    ]

    /// Row C: a record that was stable is gone.
    static let coveredBySync: [TableCase] = [
        TableCase("a damaged record, the next says it was synced", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            $0.put("c", "3", synced: SequenceNumber(2))
        },
        TableCase("the last of many says it, and not all of it", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            for id in 3...9 { $0.put("\(id)", "3") }
            $0.put("z", "3", synced: SequenceNumber(4))
        },
        TableCase("a mark says it", next: 2) {
            $0.put("a", "1")
            $0.damage($0.put("b", "2"))
            $0.mark()
        },
        TableCase("the line that says it stands inside the damaged line", next: 2) {
            $0.put("a", "1")
            let line = $0.put("b", "2")
            $0.put("c", "3", synced: SequenceNumber(2))
            $0.overwrite(line.upperBound - 1..<line.upperBound, with: 0)
        },
        TableCase("NULs reach into the line before the one that says it", next: 2) {
            $0.put("a", "1")
            let line = $0.put("b", "2")
            $0.put("c", "3", synced: SequenceNumber(2))
            $0.overwrite(line, with: 0)
        },
        TableCase("the fault is inside a batch", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.damage($0.put("c", "3", more: true))
            $0.put("d", "4")
            $0.put("e", "5", synced: SequenceNumber(4))
        },
        TableCase("the fault is inside a batch, its first record alone was synced", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.damage($0.put("c", "3"))
            $0.put("e", "4", synced: SequenceNumber(2))
        },
        TableCase("a gap, and the record behind it says it", next: 2) {
            $0.put("a", "1")
            $0.put("c", "3", number: SequenceNumber(3), synced: SequenceNumber(2))
        },
        TableCase("a gap in padding, and a later record says it", next: 2) {
            $0.put("a", "1")
            $0.padding(100)
            $0.put("c", "3", number: SequenceNumber(3))
            $0.put("d", "3", synced: SequenceNumber(3))
        },
        TableCase("a gap inside a batch", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.put("d", "4", number: SequenceNumber(4))
            $0.put("e", "5", synced: SequenceNumber(4))
        },
        TableCase("a batch without its end whose member says it", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.put("c", "3", synced: SequenceNumber(2), more: true)
        },
        TableCase("row C before row D", next: 2) {
            $0.put("a", "1")
            $0.raw("foreign\n")
            $0.put("b", "2")
            $0.put("c", "3", synced: SequenceNumber(2))
        },
    ]

    /// Row D: foreign bytes between sound records.
    static let foreignBytes: [TableCase] = [
        TableCase("a foreign line", next: 2) {
            $0.put("a", "1")
            $0.raw("hello\n")
            $0.put("b", "2")
        },
        TableCase("a foreign line before the first record", next: 1) {
            $0.raw("hello\n")
            $0.put("a", "1")
        },
        TableCase("foreign bytes on the line of a record", next: 2) {
            $0.put("a", "1")
            $0.raw("hello")
            $0.put("b", "2")
        },
        TableCase("a flipped bit in padding", next: 2) {
            $0.put("a", "1")
            $0.damage($0.padding(80))
            $0.put("b", "2")
        },
        TableCase("NULs that hold no record", next: 2) {
            $0.put("a", "1")
            $0.raw([0, 0, 0, 0x0A])
            $0.put("b", "2")
        },
        TableCase("foreign bytes inside a batch: the number expected at the fault", next: 2) {
            $0.put("a", "1")
            $0.put("b", "2", more: true)
            $0.raw("hello\n")
            $0.put("c", "3")
        },
        TableCase("foreign bytes, padding between", next: 2) {
            $0.put("a", "1")
            $0.raw("x\n\n\n")
            $0.put("b", "2")
        },
    ]
}
