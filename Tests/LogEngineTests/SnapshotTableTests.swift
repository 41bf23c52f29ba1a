import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport
import Testing

/// In a snapshot every fault is corruption.
@Suite struct SnapshotTableTests {
    private let names = [StoreDirectory.snapshotName(2), StoreDirectory.logName(2)]

    /// A snapshot that holds the state before record 5.
    private static func snapshot(_ build: (inout LogBuilder) -> Void) -> [UInt8] {
        var file = LogBuilder()
        file.header(.snapshot, generation: 2, firstSequenceNumber: SequenceNumber(5))
        file.nextSequenceNumber = .first
        build(&file)
        return file.bytes
    }

    private static let sound: [(name: String, bytes: [UInt8])] = [
        ("empty", snapshot { $0.footer() }),
        (
            "gaps in the numbers",
            snapshot {
                $0.put("a", "1")
                $0.put("b", "2", number: SequenceNumber(4))
                $0.footer()
            }
        ),
        (
            "synced and more mean nothing",
            snapshot {
                $0.put("a", "1", synced: .zero, more: true)
                $0.put("b", "2", number: SequenceNumber(4), synced: SequenceNumber(3), more: true)
                $0.footer()
            }
        ),
        (
            "padding anywhere",
            snapshot {
                $0.padding(2)
                $0.put("a", "1")
                $0.padding(1)
                $0.delete("b")
                $0.footer()
                $0.padding(900)
            }
        ),
    ]

    private static let damaged: [(name: String, bytes: [UInt8])] = [
        ("an empty file", []),
        ("padding", [0x0A, 0x0A]),
        ("a header alone", snapshot { _ in }),
        ("no footer", snapshot { $0.put("a", "1") }),
        (
            "too low a count",
            snapshot {
                $0.put("a", "1")
                $0.footer(records: 0)
            }
        ),
        ("too high a count", snapshot { $0.footer(records: 1) }),
        (
            "a mark",
            snapshot {
                $0.put("a", "1")
                $0.mark()
                $0.footer()
            }
        ),
        (
            "a record behind the footer",
            snapshot {
                $0.footer()
                $0.put("a", "1")
            }
        ),
        (
            "a second footer",
            snapshot {
                $0.footer()
                $0.footer()
            }
        ),
        (
            "a second header",
            snapshot {
                $0.header(.snapshot, generation: 2, firstSequenceNumber: SequenceNumber(5))
                $0.footer()
            }
        ),
        (
            "a repeated number",
            snapshot {
                $0.put("a", "1")
                $0.put("b", "1", number: .first)
                $0.footer()
            }
        ),
        (
            "a falling number",
            snapshot {
                $0.put("a", "1", number: SequenceNumber(3))
                $0.put("b", "1", number: SequenceNumber(2))
                $0.footer()
            }
        ),
        (
            "a number that is not below firstSeq",
            snapshot {
                $0.put("a", "1", number: SequenceNumber(5))
                $0.footer()
            }
        ),
        (
            "synced equal to seq",
            snapshot {
                $0.put("a", "1", synced: .first)
                $0.footer()
            }
        ),
        (
            "bytes behind the footer",
            snapshot {
                $0.footer()
                $0.raw([0])
            }
        ),
        (
            "a foreign line",
            snapshot {
                $0.raw("hello\n")
                $0.footer()
            }
        ),
        (
            "a line of no shape",
            snapshot {
                $0.line(members: #""x":1}"#)
                $0.footer()
            }
        ),
        ("a footer first", snapshot { $0.footer() }.drop { $0 != 0x0A }.dropFirst() + []),
    ]

    private func log() -> [UInt8] {
        var log = LogBuilder()
        log.header(generation: 2, firstSequenceNumber: SequenceNumber(5))
        log.put("later", "true")
        return log.bytes
    }

    private func judge(_ bytes: [UInt8]) throws -> Judgement {
        try Judgement(.simulated(.holding([names[0]: bytes, names[1]: log()])))
    }

    @Test func everySoundSnapshotOpens() throws {
        for (name, bytes) in Self.sound { #expect(try judge(bytes) == .sound, "\(name)") }
    }

    @Test func everyFaultInASnapshotIsCorruption() throws {
        for (name, bytes) in Self.damaged {
            #expect(try judge(bytes) == .corruption(file: names[0]), "\(name)")
        }
    }

    @Test func everyHeaderThatDoesNotFitIsCorruption() throws {
        for (kind, generation) in [(FileHeader.Kind.log, 2), (.snapshot, 1), (.snapshot, 3)]
            as [(FileHeader.Kind, UInt64)]
        {
            var file = LogBuilder()
            file.header(kind, generation: generation, firstSequenceNumber: SequenceNumber(5))
            file.footer()
            #expect(try judge(file.bytes) == .corruption(file: names[0]), "\(kind) \(generation)")
        }
    }

    @Test func everyFlippedBitAndEveryTruncationOfASnapshotIsCorruption() throws {
        let bytes = Self.snapshot {
            $0.put("a", #"{"x":1}"#, more: true)
            $0.delete("b", synced: .first)
            $0.footer()
        }
        for length in 0..<bytes.count {
            #expect(try judge(Array(bytes[..<length])) == .corruption(file: names[0]), "length \(length)")
        }
        for bit in 0..<bytes.count * 8 {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try judge(bytes) == .corruption(file: names[0]), "bit \(bit)")
        }
    }
}
