import LogFormat

/// Composes a store's file line by line, right or wrong.
struct FileBuilder {
    static let store = "3f2b8c1e-9d47-4a6b-8e21-5c0d9a7b6f14"

    private(set) var bytes: [UInt8] = []
    private var lineStarts: [Int] = []

    static func log(_ generation: UInt64 = 1, first: UInt64 = 1, store: String = store) -> FileBuilder {
        header(.log, generation, first, store)
    }

    static func snapshot(_ generation: UInt64, first: UInt64, store: String = store) -> FileBuilder {
        header(.snapshot, generation, first, store)
    }

    private static func header(
        _ kind: FileHeader.Kind,
        _ generation: UInt64,
        _ first: UInt64,
        _ store: String
    )
        -> FileBuilder
    {
        var builder = FileBuilder()
        builder.append { encoder in
            encoder.appendHeader(
                FileHeader(
                    kind: kind,
                    store: store,
                    generation: generation,
                    firstSequenceNumber: SequenceNumber(first),
                    time: 1_796_000_000_000
                )
            )
        }
        return builder
    }

    /// The offset of a line, from 1.
    func offset(ofLine line: Int) -> Int { lineStarts[line - 1] }

    func put(
        _ number: UInt64,
        _ id: String = "a",
        value: String? = nil,
        synced: UInt64? = nil,
        more: Bool = false
    )
        -> FileBuilder
    {
        appending { encoder in
            encoder.appendPut(
                head(number, synced, more),
                schema: 1,
                id: CanonicalID(id).spelling,
                value: Array((value ?? "{\"n\":\(number)}").utf8)
            )
        }
    }

    func delete(_ number: UInt64, _ id: String = "a", more: Bool = false) -> FileBuilder {
        appending { $0.appendDelete(head(number, nil, more), id: CanonicalID(id).spelling) }
    }

    func mark(_ number: UInt64, synced: UInt64) -> FileBuilder {
        appending { $0.appendMark(head(number, synced, false)) }
    }

    func footer(_ records: UInt64) -> FileBuilder {
        appending { $0.appendFooter(SnapshotFooter(records: records)) }
    }

    /// A line with the right checksum around any members.
    func line(_ members: String) -> FileBuilder {
        let members = Array(members.utf8)
        let checksum = String(members.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        let digits = String(repeating: "0", count: 8 - checksum.count) + checksum
        return raw(Array("{\"crc\":\"\(digits)\",".utf8) + members + [0x0A])
    }

    func raw(_ more: [UInt8]) -> FileBuilder {
        var builder = self
        builder.lineStarts.append(bytes.count)
        builder.bytes += more
        return builder
    }

    func raw(_ text: String) -> FileBuilder { raw(Array(text.utf8)) }

    private func head(_ number: UInt64, _ synced: UInt64?, _ more: Bool) -> RecordHead {
        RecordHead(
            sequenceNumber: SequenceNumber(number),
            time: 1_796_000_000_000 + Int64(number),
            synced: synced.map { SequenceNumber($0) },
            more: more
        )
    }

    private func appending(_ body: (inout RecordEncoder) -> Void) -> FileBuilder {
        var builder = self
        builder.append(body)
        return builder
    }

    private mutating func append(_ body: (inout RecordEncoder) -> Void) {
        var encoder = RecordEncoder()
        body(&encoder)
        lineStarts.append(bytes.count)
        bytes += encoder.bytes
    }
}

extension MemoryFileSystem {
    /// The store `s` with files by their short names: `log1`, `snapshot2`.
    convenience init(store files: [String: FileBuilder]) {
        self.init(
            Dictionary(uniqueKeysWithValues: files.map { (Self.path($0.key), $0.value.bytes) }),
            directories: ["s": []]
        )
    }

    /// `s/log-0000000001.jsonl` for `log1`.
    static func path(_ short: String) -> String {
        let kind = short.prefix { $0.isLetter }
        let generation = short.dropFirst(kind.count)
        return "s/\(kind)-\(String(repeating: "0", count: 10 - generation.count))\(generation).jsonl"
    }
}
