import CrashCampaigns
import LogEngine
import LogFormat
import TestSupport
import Testing

@Suite struct LiveIndexTests {
    private struct Model {
        var number: UInt64
        var offset: UInt64
        var isDelete: Bool
    }

    /// A location as a put and as a delete have it.
    private func locations() throws -> (put: LiveIndex.Location, delete: LiveIndex.Location) {
        var log = LogBuilder()
        log.put("a", "[1]", schema: 3)
        log.delete("a")
        var found: [LiveIndex.Location] = []
        ByteFile(log.bytes).forEachLine { line in
            guard case .record(let record, let place) = line else { return }
            found.append(LiveIndex.Location(record, at: place.offset, in: 0))
        }
        try #require(found.count == 2)
        let put = found[0]
        let value = log.bytes[Int(put.valueRange.lowerBound)..<Int(put.valueRange.upperBound)]
        #expect(String(decoding: value, as: UTF8.self) == "[1]")
        #expect(put.schema == 3 && !put.isDelete && put.lineLength == UInt32(log.ranges[0].count))
        #expect(found[1].isDelete && found[1].lineOffset == UInt64(log.ranges[1].lowerBound))
        return (put, found[1])
    }

    @Test func anIndexGivesWhatADictionaryGivesAfterEveryOneOfManyChanges() throws {
        let (put, delete) = try locations()
        var random = SeededGenerator(seed: 20_260)
        var index = LiveIndex()
        var model: [[UInt8]: Model] = [:]
        var live = 0
        for step in 0..<100_000 as Range<UInt64> {
            let id = id(&random)
            let isDelete = random.oneIn(4)
            var location = isDelete ? delete : put
            location.sequenceNumber = SequenceNumber(step + 1)
            location.lineOffset = step * 100
            location.file = Int32(truncatingIfNeeded: step >> 15)
            id.withUnsafeBytes { index.set($0, location) }
            if model[id]?.isDelete == false { live -= 1 }
            if !isDelete { live += 1 }
            model[id] = Model(number: step + 1, offset: step * 100, isDelete: isDelete)
            guard index.liveCount == live, index.count == model.count else {
                Issue.record("step \(step): \(index.liveCount) live of \(index.count)")
                return
            }
            let other = self.id(&random)
            let found = other.withUnsafeBytes { index.location(of: $0) }
            guard found?.sequenceNumber.rawValue == model[other]?.number else {
                Issue.record("step \(step): \(other) is \(String(describing: found))")
                return
            }
        }
        expect(index, model)
    }

    /// Few ids, many, and such as differ in length or in their last byte alone.
    private func id(_ random: inout SeededGenerator) -> [UInt8] {
        switch random.below(4) {
        case 0: CanonicalID(random.below(50)).spelling
        case 1: CanonicalID(String(repeating: "x", count: random.below(300))).spelling
        case 2: CanonicalID("a long id with a tail that tells \(random.below(30_000))").spelling
        default: CanonicalID(random.below(2_000_000) - 1_000_000).spelling
        }
    }

    private func expect(_ index: LiveIndex, _ model: [[UInt8]: Model]) {
        let slots = index.liveSlots()
        let expected = model.filter { !$0.value.isDelete }.sorted { $0.value.offset < $1.value.offset }
        #expect(slots.map { index.id(at: $0).spelling } == expected.map(\.key))
        #expect(slots.map { index.location(at: $0).sequenceNumber.rawValue } == expected.map(\.value.number))
        let isWhole = model.allSatisfy { id, last in
            let found = id.withUnsafeBytes { index.location(of: $0) }
            return found?.sequenceNumber.rawValue == last.number && found?.isDelete == last.isDelete
        }
        #expect(isWhole)
    }

    @Test func anIndexIsAValue() throws {
        let (put, _) = try locations()
        var index = LiveIndex()
        let id = CanonicalID("a").spelling
        id.withUnsafeBytes { index.set($0, put) }
        let copy = index
        CanonicalID("b").spelling.withUnsafeBytes { index.set($0, put) }
        #expect(copy.count == 1 && index.count == 2 && copy.liveCount == 1)
        #expect(CanonicalID("b").spelling.withUnsafeBytes { copy.location(of: $0) } == nil)
    }
}
