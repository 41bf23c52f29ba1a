import LogFormat
import TestSupport
import Testing

@Suite struct CRC32CTests {
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { CRC32C.checksum($0) }
    }

    /// The definition, a bit at a time.
    private func reference(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
        }
        return ~crc
    }

    /// The check value and the vectors of RFC 3720, appendix B.4.
    @Test(
        arguments: [
            (Array("123456789".utf8), 0xE306_9283),
            ([], 0),
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
            (Array("a".utf8), 0xC1D0_4330),
            (Array("The quick brown fox jumps over the lazy dog".utf8), 0x2262_0404),
        ] as [([UInt8], UInt32)]
    )
    func knownChecksumsComeOut(_ bytes: [UInt8], _ expected: UInt32) {
        #expect(checksum(bytes) == expected)
    }

    @Test func everyLengthAgreesWithTheDefinition() {
        var random = SeededGenerator(seed: 1)
        for length in 0...64 {
            for _ in 0..<20 {
                let bytes = random.bytes(length)
                #expect(checksum(bytes) == reference(bytes), "\(bytes)")
            }
        }
        let long = random.bytes(10_000)
        #expect(checksum(long) == reference(long))
    }

    @Test func everyAlignmentGivesTheSame() {
        let bytes = Array("an aligned or unaligned run of bytes, longer than two times sixteen".utf8)
        for shift in 0..<16 {
            let moved = [UInt8](repeating: 7, count: shift) + bytes
            let value = moved.withUnsafeBytes {
                CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[shift...]))
            }
            #expect(value == reference(bytes), "moved by \(shift)")
        }
    }

    @Test func everySplitGivesTheSame() {
        let bytes = Array("piece by piece or all at once, the checksum is the same".utf8)
        for split in 0...bytes.count {
            var crc = CRC32C()
            Array(bytes[..<split]).withUnsafeBytes { crc.update($0) }
            Array(bytes[split...]).withUnsafeBytes { crc.update($0) }
            #expect(crc.value == reference(bytes), "split at \(split)")
        }
    }

    @Test func twoChecksumsCombineAtEverySplit() {
        var random = SeededGenerator(seed: 2)
        for length in [0, 1, 2, 15, 16, 17, 100, 300] {
            let bytes = random.bytes(length)
            for split in 0...length {
                let combined = CRC32C.combine(
                    checksum(Array(bytes[..<split])),
                    checksum(Array(bytes[split...])),
                    secondLength: length - split
                )
                #expect(combined == checksum(bytes), "\(length) bytes split at \(split)")
            }
        }
    }
}
