import Foundation
import LogFormat
import TestSupport
import Testing

/// The files of version 1, which every later version reads as this one does.
@Suite struct FixtureTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/v1")

    private struct Expectation: Decodable {
        var verdict: String
        var lastSeq: UInt64?
    }

    /// The stores, by the names of their folders.
    private static func expectations() throws -> [String: Expectation] {
        try JSONDecoder().decode(
            [String: Expectation].self,
            from: Data(contentsOf: root.appending(path: "expected.json"))
        )
    }

    private static func files(_ store: String) throws -> [String: [UInt8]] {
        let folder = root.appending(path: store)
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = try Array(Data(contentsOf: folder.appending(path: name)))
        }
        return files
    }

    @Test func everyFileIsCoveredAndSeenAlikeThroughEveryWindow() throws {
        for store in try Self.expectations().keys.sorted() {
            let files = try Self.files(store)
            #expect(!files.isEmpty, "\(store)")
            for (name, bytes) in files {
                let whole = ByteFile(bytes).items()
                #expect(Coverage(whole) == ReferenceScanner.coverage(bytes), "\(store)/\(name)")
                for windowSize in stride(from: 64, through: bytes.count, by: 7) {
                    let items = ByteFile(bytes).items(windowSize: windowSize)
                    #expect(items.tile(bytes.count), "\(store)/\(name), window \(windowSize)")
                    #expect(items.validLines == whole.validLines, "\(store)/\(name), window \(windowSize)")
                    #expect(Coverage(items) == Coverage(whole), "\(store)/\(name), window \(windowSize)")
                }
            }
        }
    }

    @Test func everySoundStoreIsSoundLineByLine() throws {
        var count = 0
        for (store, expected) in try Self.expectations() where expected.verdict == "sound" {
            count += 1
            var last: SequenceNumber = .zero
            for (name, bytes) in try Self.files(store) where name.hasSuffix(".jsonl") {
                let items = ByteFile(bytes).items()
                #expect(items.reasons == [], "\(store)/\(name)")
                guard case .header(let header) = items.first?.content else {
                    Issue.record("\(store)/\(name) has no header.")
                    continue
                }
                #expect(name.hasPrefix("\(header.kind.rawValue)-"), "\(store)/\(name)")
                let end = items.records.last?.head.sequenceNumber ?? header.firstSequenceNumber.previous
                last = max(last, end)
                try checkWrittenAgain(items, bytes, "\(store)/\(name)")
            }
            #expect(last.rawValue == expected.lastSeq, "\(store)")
        }
        #expect(count > 8)
    }

    /// What was read, written again, is the same file.
    private func checkWrittenAgain(_ items: [ByteFile.Item], _ bytes: [UInt8], _ name: String) throws {
        var encoder = RecordEncoder()
        var padding = 0
        for item in items {
            switch item.content {
            case .header(let header): encoder.appendHeader(header)
            case .footer(let footer): encoder.appendFooter(footer)
            case .padding: padding += Int(item.place.length)
            case .invalid: Issue.record("\(name) has invalid bytes.")
            case .record(let record):
                switch record.operation {
                case .put:
                    encoder.appendPut(record.head, schema: record.schema, id: record.id, value: record.value)
                case .delete: encoder.appendDelete(record.head, id: record.id)
                case .mark: encoder.appendMark(record.head)
                }
            }
        }
        #expect(encoder.bytes.count + padding == bytes.count, "\(name)")
        if padding == 0 { #expect(encoder.bytes == bytes, "\(name)") }
    }

    /// What stands behind the sound beginning of each damaged log: the first fault's offset and reason,
    /// and the numbers of the valid records behind it.
    @Test(
        arguments: [
            ("11-torn-no-lf", 362, .lineEnd, []), ("12-torn-half", 362, .lineEnd, []),
            ("14-torn-nul", 362, .lineEnd, []), ("15-torn-hole", 362, .frame, [4, 5]),
            ("22-foreign-line", 244, .frame, [2]), ("25-crlf", nil, nil, []),
            ("13-torn-half-lf", 362, nil, []),
            ("21-corrupt-middle", 244, nil, [3]), ("41-newer", 0, .newerFormat(2), [1]),
        ] as [(String, UInt64?, InvalidBytes.Reason?, [UInt64])]
    )
    func damageIsSeenWhereItIs(
        _ store: String,
        _ offset: UInt64?,
        _ reason: InvalidBytes.Reason?,
        _ behind: [UInt64]
    ) throws {
        let bytes = try #require(try Self.files(store)["log-0000000001.jsonl"])
        let items = ByteFile(bytes).items()
        let fault = try #require(items.firstIndex { !$0.content.isValidLine && $0.content != .padding })
        if let offset { #expect(items[fault].place.offset == offset) }
        if let reason { #expect(items.reasons.first == reason) }
        #expect(Array(items[fault...]).records.map(\.head.sequenceNumber.rawValue) == behind)
    }
}
