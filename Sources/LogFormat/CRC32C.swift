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
        while end - next >= 16 {
            let first = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
            let second = UInt64(littleEndian: next.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let low = Self.folded(first, tables + 8 * 256)
            crc = low ^ Self.folded(second, tables)
            next += 16
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

    /// Eight bytes through eight tables, of which the last byte takes the first.
    @inline(__always)
    private static func folded(_ word: UInt64, _ tables: UnsafePointer<UInt32>) -> UInt32 {
        let a = tables[7 * 256 + Int(word & 0xFF)] ^ tables[6 * 256 + Int(word >> 8 & 0xFF)]
        let b = tables[5 * 256 + Int(word >> 16 & 0xFF)] ^ tables[4 * 256 + Int(word >> 24 & 0xFF)]
        let c = tables[3 * 256 + Int(word >> 32 & 0xFF)] ^ tables[2 * 256 + Int(word >> 40 & 0xFF)]
        let d = tables[1 * 256 + Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
        return (a ^ b) ^ (c ^ d)
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
