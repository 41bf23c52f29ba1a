import LogFormat
import TestSupport
import Testing

@Suite struct LineShapeTests {
    private static let store = LogBuilder.store
    private static let headerMembers =
        #""format":1,"kind":"log","store":"\#(store)","generation":1,"firstSeq":1,"at":1796000000000}"#

    /// The one item of a file with one line.
    private func item(members: String) throws -> ByteFile.Item {
        let items = ByteFile(LogBuilder.line(members: Array(members.utf8))).items()
        try #require(items.count == 1)
        return items[0]
    }

    // MARK: What is written

    @Test func theExamplesOfTheFormatAreWrittenByteForByte() {
        var log = LogBuilder()
        log.header()
        log.put("q-001", #"{"id":"q-001","title":"é"}"#)
        log.delete("q-001", synced: SequenceNumber(1))
        log.mark(synced: SequenceNumber(2))
        let expected = """
            {"crc":"847684ad","format":1,"kind":"log","store":"3f2b8c1e-9d47-4a6b-8e21-5c0d9a7b6f14",\
            "generation":1,"firstSeq":1,"at":1796000000000}
            {"crc":"990ef8ef","seq":1,"at":1796000000001,"op":"put","id":"q-001",\
            "value":{"id":"q-001","title":"é"}}
            {"crc":"011ae62d","seq":2,"at":1796000000002,"synced":1,"op":"delete","id":"q-001"}
            {"crc":"0f42f88a","seq":3,"at":1796000000003,"synced":2,"op":"mark"}

            """
        #expect(String(decoding: log.bytes, as: UTF8.self) == expected)
    }

    @Test func everyMemberStandsInItsPlace() {
        var log = LogBuilder(from: SequenceNumber(7), time: -5)
        log.put(CanonicalID(-3), "1", synced: .zero, more: true, schema: 12)
        log.delete("a", synced: SequenceNumber(6), more: true)
        log.header(.snapshot, generation: 4, deletesSince: SequenceNumber(2))
        log.footer()
        let lines = String(decoding: log.bytes, as: UTF8.self).split(separator: "\n").map { $0.dropFirst(18) }
        #expect(
            lines == [
                #""seq":7,"at":-5,"synced":0,"more":true,"op":"put","schema":12,"id":-3,"value":1}"#,
                #""seq":8,"at":-4,"synced":6,"more":true,"op":"delete","id":"a"}"#,
                #""format":1,"kind":"snapshot","store":"\#(Self.store)","generation":4,"firstSeq":9,"#
                    + #""deletesSince":2,"at":-3}"#,
                #""end":true,"records":2}"#,
            ]
        )
    }

    @Test func forgettingTheLinesKeepsNothingOfThem() {
        var encoder = RecordEncoder()
        encoder.appendFooter(SnapshotFooter(records: 1))
        let first = encoder.bytes
        encoder.removeAll()
        #expect(encoder.bytes.isEmpty)
        encoder.reserve(1000)
        encoder.appendFooter(SnapshotFooter(records: 1))
        #expect(encoder.bytes == first)
    }

    // MARK: There and back

    @Test func everyShapeOfRecordIsReadAsItWasWritten() throws {
        let numbers: [UInt64] = [1, 9, 10, 123_456_789, SequenceNumber.highest.rawValue]
        let highest = Int64(SequenceNumber.highest.rawValue)
        for number in numbers.map({ SequenceNumber($0) }) {
            for time in [0, 1, -1, 1_796_000_000_000, highest, -highest] {
                for synced in [nil, SequenceNumber.zero, number.previous] {
                    for more in [false, true] {
                        let head = RecordHead(sequenceNumber: number, time: time, synced: synced, more: more)
                        try checkRecords(head)
                    }
                }
            }
        }
    }

    private func checkRecords(_ head: RecordHead) throws {
        for id in [CanonicalID("q"), CanonicalID(""), CanonicalID("\n\u{2028}"), CanonicalID(-7)] {
            for schema in [1, 2, SequenceNumber.highest.rawValue] {
                let put = try written { $0.appendPut(head, schema: schema, id: id.spelling, value: [0x31]) }
                #expect(
                    put.operation == .put && put.head == head && put.schema == schema,
                    "\(head) \(schema)"
                )
                #expect(put.id == id.spelling && put.value == [0x31], "\(id)")
            }
            let delete = try written { $0.appendDelete(head, id: id.spelling) }
            #expect(delete.operation == .delete && delete.head == head, "\(head)")
            #expect(delete.id == id.spelling && delete.value == [] && delete.schema == 1, "\(id)")
        }
        if head.synced != nil, !head.more {
            let mark = try written { $0.appendMark(head) }
            #expect(
                mark.operation == .mark && mark.head == head && mark.id == [] && mark.value == [],
                "\(head)"
            )
        }
    }

    private func written(_ body: (inout RecordEncoder) -> Void) throws -> ByteFile.CopiedRecord {
        var encoder = RecordEncoder()
        body(&encoder)
        let items = ByteFile(encoder.bytes).items()
        let record = try #require(items.records.first, "\(String(decoding: encoder.bytes, as: UTF8.self))")
        #expect(items.count == 1)
        #expect(record.line == encoder.bytes)
        return record
    }

    @Test func everyHeaderIsReadAsItWasWritten() throws {
        let highest = SequenceNumber.highest
        for kind in [FileHeader.Kind.log, .snapshot] {
            for generation in [0, 1, 9_999_999_999] as [UInt64] {
                for first in [.first, highest] {
                    for deletesSince in kind == .log ? [nil] : [nil, .zero, highest] {
                        for time in [0, -1, 1_796_000_000_000] as [Int64] {
                            let header = FileHeader(
                                kind: kind,
                                store: Self.store,
                                generation: generation,
                                firstSequenceNumber: first,
                                deletesSince: deletesSince,
                                time: time
                            )
                            var encoder = RecordEncoder()
                            encoder.appendHeader(header)
                            #expect(ByteFile(encoder.bytes).items().map(\.content) == [.header(header)])
                        }
                    }
                }
            }
        }
    }

    @Test func everyFooterIsReadAsItWasWritten() {
        for records in [0, 1, SequenceNumber.highest.rawValue] {
            var encoder = RecordEncoder()
            encoder.appendFooter(SnapshotFooter(records: records))
            #expect(
                ByteFile(encoder.bytes).items().map(\.content) == [.footer(SnapshotFooter(records: records))]
            )
        }
    }

    // MARK: What has no shape

    private static let validMembers = [
        headerMembers,
        headerMembers.replacing("log", with: "snapshot"),
        headerMembers.replacing("log", with: "snapshot").replacing(#""at""#, with: #""deletesSince":1,"at""#),
        #""seq":1,"at":2,"op":"put","id":"a","value":1}"#,
        #""seq":3,"at":2,"synced":1,"more":true,"op":"put","schema":2,"id":"a","value":1}"#,
        #""seq":1,"at":2,"op":"delete","id":"a"}"#,
        #""seq":3,"at":2,"synced":1,"more":true,"op":"delete","id":1}"#,
        #""seq":3,"at":2,"synced":2,"op":"mark"}"#,
        #""end":true,"records":0}"#,
    ]

    @Test(arguments: validMembers)
    func theseAreSound(_ members: String) throws {
        #expect(try item(members: members).content.isValidLine)
    }

    @Test(arguments: validMembers)
    func theShapeSurvivesNoWhiteSpaceNorAnotherMemberAnywhere(_ members: String) throws {
        let end = members.firstRange(of: #""value":"#)?.lowerBound ?? members.endIndex
        for index in members.indices where index <= end {
            for insertion in [" ", "\t", "\r", "\u{0}"] {
                var changed = members
                changed.insert(contentsOf: insertion, at: index)
                let isInsideID =
                    changed.contains("\"a\(insertion)\"") || changed.contains("\"\(insertion)a\"")
                guard !(isInsideID && insertion == " ") else { continue }
                #expect(try item(members: changed).content.isShapeless, "\(changed)")
            }
        }
        for (index, character) in zip(members.indices, members) where character == "," && index < end {
            var changed = members
            changed.insert(contentsOf: #","x":1"#, at: index)
            #expect(try item(members: changed).content.isShapeless, "\(changed)")
        }
    }

    @Test(arguments: validMembers)
    func theShapeSurvivesNoMissingByteBeforeItsValue(_ members: String) throws {
        let end = members.firstRange(of: #""a","value""#)?.lowerBound ?? members.endIndex
        // A number may be as well without one of its digits, and the id without its letter.
        for index in members.indices where index < end && !members[index].isNumber && members[index] != "a" {
            var changed = members
            changed.remove(at: index)
            #expect(try item(members: changed).content.isShapeless, "\(changed)")
        }
    }

    @Test(arguments: [
        // Out of order, twice, missing.
        #""at":2,"seq":1,"op":"put","id":"a","value":1}"#,
        #""seq":1,"at":2,"op":"put","value":1,"id":"a"}"#,
        #""seq":1,"at":2,"more":true,"synced":0,"op":"put","id":"a","value":1}"#,
        #""seq":1,"at":2,"op":"put","id":"a","schema":2,"value":1}"#,
        #""seq":1,"seq":1,"at":2,"op":"delete","id":"a"}"#,
        #""seq":1,"op":"delete","id":"a"}"#, #""seq":1,"at":2,"op":"delete"}"#, #""at":2,"op":"mark"}"#,
        #""seq":1,"at":2,"op":"put","id":"a"}"#, #""seq":1,"at":2,"id":"a","value":1}"#,
        #""seq":1,"at":2,"op":"put","id":"a","value":1,"x":2}"#,
        #""seq":1,"at":2,"op":"put","id":"a","value":1"#,
        #""records":0,"end":true}"#, #""end":true}"#, #""end":false,"records":0}"#,
        // What an operation may not have.
        #""seq":1,"at":2,"op":"delete","schema":2,"id":"a"}"#,
        #""seq":1,"at":2,"op":"delete","id":"a","value":1}"#,
        #""seq":1,"at":2,"op":"mark"}"#, #""seq":1,"at":2,"synced":0,"more":true,"op":"mark"}"#,
        #""seq":1,"at":2,"synced":0,"op":"mark","id":"a"}"#, #""seq":1,"at":2,"op":"move","id":"a"}"#,
        #""seq":1,"at":2,"more":false,"op":"delete","id":"a"}"#,
        #""seq":1,"at":2,"op":"PUT","id":"a","value":1}"#,
        // Numbers.
        #""seq":0,"at":2,"op":"delete","id":"a"}"#, #""seq":01,"at":2,"op":"delete","id":"a"}"#,
        #""seq":-1,"at":2,"op":"delete","id":"a"}"#, #""seq":1.0,"at":2,"op":"delete","id":"a"}"#,
        #""seq":9007199254740992,"at":2,"op":"delete","id":"a"}"#,
        #""seq":"1","at":2,"op":"delete","id":"a"}"#,
        #""seq":18446744073709551617,"at":2,"op":"delete","id":"a"}"#,
        #""seq":,"at":2,"op":"delete","id":"a"}"#,
        #""seq":1,"at":-0,"op":"delete","id":"a"}"#, #""seq":1,"at":1e3,"op":"delete","id":"a"}"#,
        #""seq":1,"at":9007199254740992,"op":"delete","id":"a"}"#,
        #""seq":1,"at":2,"synced":null,"op":"delete","id":"a"}"#,
        #""seq":1,"at":2,"synced":-1,"op":"delete","id":"a"}"#,
        // Ids and values.
        #""seq":1,"at":2,"op":"delete","id":"\u0041"}"#, #""seq":1,"at":2,"op":"delete","id":null}"#,
        #""seq":1,"at":2,"op":"delete","id":1.0}"#, #""seq":1,"at":2,"op":"put","id":"a","value":}"#,
        #""seq":1,"at":2,"op":"put","id":"a","value":1]"#, #""seq":1,"at":2,"op":"put","id":[],"value":1}"#,
        // Headers.
        headerMembers.replacing("log", with: "journal"),
        headerMembers.replacing(store, with: store.uppercased()),
        headerMembers.replacing("3f2b8c1e-9d47", with: "3f2b8c1e9-d47"),
        headerMembers.replacing("-", with: ""),
        headerMembers.replacing(#""firstSeq":1"#, with: #""firstSeq":0"#),
        headerMembers.replacing(#""at""#, with: #""deletesSince":1,"at""#),
        headerMembers.replacing(#""format":1"#, with: #""format":0"#),
        headerMembers.replacing(#""format":1"#, with: #""format":"1""#),
        headerMembers.replacing(#""format":1"#, with: #""format":02"#),
        headerMembers.replacing(#""format":1,"#, with: ""), headerMembers + "}",
        "}", "{}", "0", "x", #""}"#, #""s"#, #""seq":"#, #""format":2}"#, "\u{0}",
    ])
    func theseHaveNoShape(_ members: String) throws {
        #expect(try item(members: members).content.isShapeless)
    }

    @Test(
        arguments: [
            (#""format":2,"whatever":[],}"#, 2), (#""format":2,"#, 2),
            (#""format":9007199254740991,"kind":"log"}"#, 9_007_199_254_740_991),
            (headerMembers.replacing(#""format":1"#, with: #""format":3"#), 3),
        ] as [(String, UInt64)]
    )
    func aLaterFormatIsNewerWhateverElseItSays(_ members: String, _ format: UInt64) throws {
        guard case .invalid(.newerFormat(format), _) = try item(members: members).content else {
            Issue.record("\(try item(members: members))")
            return
        }
    }
}

extension ByteFile.Content {
    fileprivate var isShapeless: Bool {
        if case .invalid(.shape, _) = self { true } else { false }
    }
}
