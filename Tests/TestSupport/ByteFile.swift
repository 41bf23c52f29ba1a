package import LogFormat

/// A file in memory, read with the scanner as one on disk would be.
package struct ByteFile: Sendable {
    /// A copy of what the scanner says of a range.
    package struct Item: Hashable, Sendable {
        package var content: Content
        package var place: LinePlace
    }

    package enum Content: Hashable, Sendable {
        case header(FileHeader)
        case record(CopiedRecord)
        case footer(SnapshotFooter)
        case padding
        case invalid(InvalidBytes.Reason, [UInt8])

        package var isValidLine: Bool {
            switch self {
            case .header, .record, .footer: true
            case .padding, .invalid: false
            }
        }
    }

    package struct CopiedRecord: Hashable, Sendable {
        package var operation: Record.Operation
        package var head: RecordHead
        package var schema: UInt64
        package var id: [UInt8]
        package var value: [UInt8]
        package var line: [UInt8]

        package init(_ record: Record) {
            operation = record.operation
            head = RecordHead(
                sequenceNumber: record.sequenceNumber,
                time: record.time,
                synced: record.synced,
                more: record.more
            )
            schema = record.schema
            id = Array(record.id)
            value = Array(record.value)
            line = Array(record.line)
        }
    }

    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// All that a scanner says of the file, in order. Each of its requests is met with at most
    /// `readSize` bytes.
    package func items(
        windowSize: Int = 256 << 10,
        longestLine: Int = LogScanner.longestLine,
        readSize: Int = .max
    ) -> [Item] {
        var items: [Item] = []
        forEachLine(windowSize: windowSize, longestLine: longestLine, readSize: readSize) { line in
            items.append(Item(content: Content(line), place: line.place))
        }
        return items
    }

    /// Calls `body` with each line as the scanner gives it.
    package func forEachLine(
        windowSize: Int = 256 << 10,
        longestLine: Int = LogScanner.longestLine,
        readSize: Int = .max,
        _ body: (ScannedLine) -> Void
    ) {
        var scanner = LogScanner(
            length: UInt64(bytes.count),
            windowSize: windowSize,
            longestLine: longestLine
        )
        while true {
            switch scanner.next() {
            case .end: return
            case .line(let line): body(line)
            case .needsBytes(let offset, let buffer):
                let start = Int(offset)
                let count = min(buffer.count, bytes.count - start, readSize)
                bytes.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
                }
                scanner.didRead(count)
            }
        }
    }
}

extension ByteFile.Content {
    package init(_ line: ScannedLine) {
        switch line {
        case .header(let header, _): self = .header(header)
        case .record(let record, _): self = .record(ByteFile.CopiedRecord(record))
        case .footer(let footer, _): self = .footer(footer)
        case .padding: self = .padding
        case .invalid(let invalid, _): self = .invalid(invalid.reason, Array(invalid.bytes))
        }
    }
}

extension [ByteFile.Item] {
    /// The valid lines alone.
    package var validLines: [ByteFile.Item] { filter(\.content.isValidLine) }

    package var records: [ByteFile.CopiedRecord] {
        compactMap { if case .record(let record) = $0.content { record } else { nil } }
    }

    /// The reasons of the invalid ranges.
    package var reasons: [InvalidBytes.Reason] {
        compactMap { if case .invalid(let reason, _) = $0.content { reason } else { nil } }
    }

    /// Whether the ranges follow each other from 0 to `length` without a gap.
    package func tile(_ length: Int) -> Bool {
        var next: UInt64 = 0
        for item in self {
            guard item.place.range.lowerBound == next, !item.place.range.isEmpty else { return false }
            next = item.place.range.upperBound
        }
        return next == UInt64(length)
    }
}
