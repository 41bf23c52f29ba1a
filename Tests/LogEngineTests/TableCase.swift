import CrashCampaigns
import LogEngine
import LogFormat
import LogStorage
import TestSupport

/// A log for the table of decisions, and what is to be said of it.
struct TableCase: CustomStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// The number after what is kept; nil where nothing matters.
    var next: UInt64?

    /// `next` is the number after the last record that is to be kept.
    init(_ name: String, next: UInt64? = nil, header: Bool = true, _ build: (inout LogBuilder) -> Void) {
        var log = LogBuilder()
        if header { log.header() }
        build(&log)
        self.name = name
        bytes = log.bytes
        self.next = next
    }

    var description: String { name }

    /// What is seen in the log, as log 1 of the tests' store.
    var observations: LogObservations {
        var seen = LogObservations { header in
            let fits =
                header.kind == .log && header.generation == 1 && header.firstSequenceNumber == .first
                && header.store == LogBuilder.store
            return fits ? nil : "the header does not fit"
        }
        ByteFile(bytes).forEachLine { _ = seen.observe($0) }
        return seen
    }

    /// What opening says of it as the only log.
    func judgedAsHighest() throws -> Judgement {
        try Judgement(.simulated(.holding([StoreDirectory.logName(1): bytes])))
    }

    /// What opening says of it when log 2 continues it.
    func judgedAsEarlier() throws -> Judgement {
        var log = LogBuilder()
        log.header(generation: 2, firstSequenceNumber: observations.next)
        log.put("later", "true")
        return try Judgement(
            .simulated(
                .holding([StoreDirectory.logName(1): bytes, StoreDirectory.logName(2): log.bytes])
            )
        )
    }
}

/// What opening says of a store.
enum Judgement: Equatable {
    case sound
    case tornTail(next: UInt64)
    case corruption(file: String)
    case other(String)

    init(_ directory: StoreDirectory) throws {
        do throws(EngineError) {
            guard case .store(let plan) = try Recovery.plan(directory) else {
                self = .other("no store")
                return
            }
            let next = plan.lastSequenceNumber.rawValue + 1
            self = plan.tornTail == nil ? .sound : .tornTail(next: next)
        } catch {
            self = error.corruption.map { .corruption(file: $0.file) } ?? .other(error.message)
        }
    }
}

extension LogBuilder {
    /// Flips the lowest bit of a byte of a piece, counted from its start, or from its end when negative.
    mutating func damage(_ range: Range<Int>, at index: Int = 40) {
        let place = index >= 0 ? range.lowerBound + index : range.upperBound + index
        overwrite(place..<place + 1, with: bytes[place] ^ 1)
    }

    /// Fills a piece with one byte.
    mutating func overwrite(_ range: Range<Int>, with byte: UInt8) {
        let all = bytes.enumerated().map { range.contains($0.offset) ? byte : $0.element }
        var copy = LogBuilder(from: nextSequenceNumber, time: time)
        copy.raw(all)
        self = copy
    }
}
