import LogFormat
import TestSupport

/// Changes lines as a fuzzer would not by itself: whole, in their numbers, and with a checksum that holds
/// again afterwards, without which hardly a change would come past the first test of a line.
package struct LineMutator {
    private var random: SeededGenerator

    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private static let frame = Array(#"{"crc":"00000000","#.utf8)
    private static let samples = [
        #""format":1,"kind":"log","store":"\#(LogBuilder.store)","generation":2,"firstSeq":4,"at":1}"#,
        #""format":1,"kind":"snapshot","store":"\#(LogBuilder.store)","generation":2,"firstSeq":4,"at":1}"#,
        #""seq":4,"at":1,"op":"put","id":"a","value":1}"#,
        #""seq":4,"at":1,"synced":3,"more":true,"op":"put","schema":2,"id":7,"value":{"a":[]}}"#,
        #""seq":4,"at":1,"op":"delete","id":"a"}"#,
        #""seq":4,"at":1,"synced":3,"op":"mark"}"#,
        #""end":true,"records":3}"#,
        #""format":2}"#,
    ]
    private static let members = [
        #""synced":3,"#, #""more":true,"#, #""schema":2,"#, #""deletesSince":2,"#, #""at":1,"#,
    ]

    /// The bytes with one or a few changes.
    package mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        for _ in 0...random.below(3) { change(&lines) }
        let joined = Array(lines.joined(separator: [0x0A]))
        return random.oneIn(8) ? damaged(joined) : joined
    }

    /// The bytes with the checksums of all lines made to fit, but for one line at times.
    package mutating func restamp(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let spared = random.oneIn(4) ? random.below(lines.count) : nil
        for index in lines.indices where index != spared { Self.stamp(&lines[index]) }
        return Array(lines.joined(separator: [0x0A]))
    }

    /// Makes the checksum of a line fit that is framed as one.
    static func stamp(_ line: inout [UInt8]) {
        guard line.count > frame.count, line.starts(with: frame.prefix(8)) else { return }
        line = LogBuilder.line(members: Array(line.dropFirst(frame.count))).dropLast()
    }

    // MARK: Lines

    private mutating func change(_ lines: inout [[UInt8]]) {
        let from = random.below(lines.count)
        let to = random.below(lines.count + 1)
        switch random.below(12) {
        case 0: lines.insert(lines[from], at: to)
        case 1: lines.swapAt(from, random.below(lines.count))
        case 2: if lines.count > 1 { lines.remove(at: from) }
        case 3: lines.insert([], at: to)
        case 4: lines.insert(sample(), at: to)
        case 5: lines = Array(lines.prefix(from + 1))
        case 6: renumber(&lines)
        case 7: addMember(to: &lines[from])
        case 8: removeMember(from: &lines[from])
        default: changeNumber(in: &lines[from])
        }
    }

    private mutating func sample() -> [UInt8] {
        var line = Self.frame + Array(Self.samples[random.below(Self.samples.count)].utf8)
        changeNumber(in: &line)
        return line
    }

    private mutating func addMember(to line: inout [UInt8]) {
        guard let place = places(of: UInt8(ascii: ","), in: line).last.map({ random.below($0) }),
            let comma = line[place...].firstIndex(of: UInt8(ascii: ","))
        else { return }
        line.insert(contentsOf: Self.members[random.below(Self.members.count)].utf8, at: comma + 1)
        Self.stamp(&line)
    }

    private mutating func removeMember(from line: inout [UInt8]) {
        let commas = places(of: UInt8(ascii: ","), in: line)
        guard commas.count > 1 else { return }
        let index = random.below(commas.count - 1)
        line.removeSubrange(commas[index]..<commas[index + 1])
        Self.stamp(&line)
    }

    private func places(of byte: UInt8, in line: [UInt8]) -> [Int] {
        line.indices.filter { line[$0] == byte && $0 >= Self.frame.count - 1 }
    }

    // MARK: Numbers

    /// Gives a number in the line a value near it, or one at the limits.
    private mutating func changeNumber(in line: inout [UInt8]) {
        let numbers = Self.numbers(in: line)
        guard !numbers.isEmpty else { return }
        let range = numbers[random.below(numbers.count)]
        guard let old = UInt64(String(decoding: line[range], as: UTF8.self)) else { return }
        let new: UInt64 =
            switch random.below(8) {
            case 0: [0, .max, 9_007_199_254_740_991, 9_007_199_254_740_992, 2, 1][random.below(6)]
            case 1, 2: UInt64(random.below(10))
            case 3, 4: old == 0 ? 1 : old - 1
            default: old &+ 1
            }
        line.replaceSubrange(range, with: "\(new)".utf8)
        Self.stamp(&line)
    }

    /// Lets the records of all files follow each other from 1, and their files' headers too.
    private func renumber(_ lines: inout [[UInt8]]) {
        var next: UInt64 = 1
        for index in lines.indices {
            for (key, step) in [(#""seq":"#, 1), (#""firstSeq":"#, 0)] as [(String, UInt64)] {
                guard let place = Self.place(of: Array(key.utf8), in: lines[index]) else { continue }
                let end = lines[index][place...].firstIndex { !(0x30...0x39).contains($0) }
                lines[index].replaceSubrange(place..<(end ?? lines[index].count), with: "\(next)".utf8)
                next += step
                Self.stamp(&lines[index])
            }
        }
    }

    /// Where the first number behind `key` begins.
    private static func place(of key: [UInt8], in line: [UInt8]) -> Int? {
        guard line.count > key.count else { return nil }
        return (0..<line.count - key.count).first { line[$0...].starts(with: key) }.map { $0 + key.count }
    }

    /// The runs of digits behind the checksum.
    private static func numbers(in line: [UInt8]) -> [Range<Int>] {
        var numbers: [Range<Int>] = []
        var index = min(frame.count, line.count)
        while let start = line[index...].firstIndex(where: { (0x30...0x39).contains($0) }) {
            let end = line[start...].firstIndex { !(0x30...0x39).contains($0) } ?? line.count
            numbers.append(start..<end)
            index = end
        }
        return numbers
    }

    // MARK: Damage, whose checksum is not made to fit

    private mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var damaged = bytes
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: damaged[place] ^= 1 << UInt8(random.below(8))
        case 1: damaged.removeLast(bytes.count - place)
        default: for index in place..<min(bytes.count, place + 1 + random.below(64)) { damaged[index] = 0 }
        }
        return damaged
    }
}
