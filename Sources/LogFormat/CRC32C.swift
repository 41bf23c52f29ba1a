/// The checksum of every line: CRC-32C (Castagnoli, reflected, initial value and final xor all ones).
///
/// The check value of `123456789` is `e3069283`. Source: RFC 3720, appendix B.4.
package struct CRC32C: Sendable {
    private var register: UInt32 = .max

    package init() {}

    /// The checksum of all bytes given so far.
    package var value: UInt32 { ~register }

    /// The checksum of `bytes` alone.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32C()
        crc.update(bytes)
        return crc.value
    }

    /// Continues the checksum with `bytes`, sixteen at a time through sixteen tables.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard var next = bytes.baseAddress else { return }
        let end = next + bytes.count
        let tables = Self.tables
        var crc = register
        if end - next >= 16 {
            // Only four of sixteen look-ups wait for the register. The other twelve are made a step
            // ahead, so that a step takes as long as the four.
            var ahead = Self.ahead(next, tables)
            while end - next >= 32 {
                let current = ahead
                ahead = Self.ahead(next + 16, tables)
                crc = Self.folded(crc ^ Self.word(next), tables + 12 * 256) ^ current
                next += 16
            }
            crc = Self.folded(crc ^ Self.word(next), tables + 12 * 256) ^ ahead
            next += 16
        }
        if end - next >= 8 {
            let high = Self.folded(crc ^ Self.word(next), tables + 4 * 256)
            crc = high ^ Self.folded(Self.word(next + 4), tables)
            next += 8
        }
        if end - next >= 4 {
            crc = Self.folded(crc ^ Self.word(next), tables)
            next += 4
        }
        while next < end {
            let index = Int(UInt8(truncatingIfNeeded: crc) ^ next.load(as: UInt8.self))
            crc = tables[index] ^ (crc >> 8)
            next += 1
        }
        register = crc
    }

    /// The checksum of two byte strings in a row, from the checksum of each: the cost grows with the
    /// logarithm of `secondLength`, not with the bytes.
    package static func combine(_ first: UInt32, _ second: UInt32, secondLength: Int) -> UInt32 {
        product(powerOfX(bytes: secondLength), first) ^ second
    }

    // MARK: Tables

    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Sixteen tables of 256, one after the other; table k advances a byte over k bytes behind it.
    ///
    /// Allocated once for the life of the process and never written again, which is what makes
    /// sharing the pointer safe.
    private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 16 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 {
                crc = crc & 1 == 1 ? (crc >> 1) ^ polynomial : crc >> 1
            }
            tables[byte] = crc
        }
        for index in 256..<16 * 256 {
            let before = tables[index - 256]
            tables[index] = tables[Int(before & 0xFF)] ^ (before >> 8)
        }
        return UnsafePointer(tables)
    }()

    @inline(__always)
    private static func word(_ place: UnsafeRawPointer) -> UInt32 {
        UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    }

    /// Four bytes through four tables, of which the last byte takes the first.
    @inline(__always)
    private static func folded(_ word: UInt32, _ tables: UnsafePointer<UInt32>) -> UInt32 {
        let low = tables[3 * 256 + Int(word & 0xFF)] ^ tables[2 * 256 + Int(word >> 8 & 0xFF)]
        return low ^ tables[1 * 256 + Int(word >> 16 & 0xFF)] ^ tables[Int(word >> 24)]
    }

    /// The last twelve of the sixteen bytes at `place`.
    @inline(__always)
    private static func ahead(_ place: UnsafeRawPointer, _ tables: UnsafePointer<UInt32>) -> UInt32 {
        folded(word(place + 4), tables + 8 * 256) ^ folded(word(place + 8), tables + 4 * 256)
            ^ folded(word(place + 12), tables)
    }

    // MARK: Arithmetic on polynomials modulo the generator, in reflected order

    private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var sum: UInt32 = 0
        var shifted = right
        var bit: UInt32 = 1 << 31
        while bit != 0 {
            if left & bit != 0 { sum ^= shifted }
            shifted = shifted & 1 == 1 ? (shifted >> 1) ^ polynomial : shifted >> 1
            bit >>= 1
        }
        return sum
    }

    private static func powerOfX(bytes: Int) -> UInt32 {
        var power: UInt32 = 1 << 31
        var square: UInt32 = 1 << 23
        var exponent = bytes
        while exponent > 0 {
            if exponent & 1 == 1 { power = product(square, power) }
            square = product(square, square)
            exponent >>= 1
        }
        return power
    }
}

extension CRC32C {
    /// The checksum of bytes that grow at their front.
    struct Tail {
        private(set) var value: UInt32 = 0
        /// What a checksum of bytes before these is multiplied with.
        private var power: UInt32 = 1 << 31
        /// Pieces are often of one length.
        private var lastCount = 0
        private var lastPower: UInt32 = 1 << 31

        mutating func prepend(_ bytes: UnsafeRawBufferPointer) {
            if bytes.count != lastCount {
                lastCount = bytes.count
                lastPower = CRC32C.powerOfX(bytes: bytes.count)
            }
            value ^= CRC32C.product(power, CRC32C.checksum(bytes))
            power = CRC32C.product(power, lastPower)
        }
    }
}
