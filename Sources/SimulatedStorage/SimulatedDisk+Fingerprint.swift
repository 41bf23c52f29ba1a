extension SimulatedDisk {
    /// A number that tells apart the disks that a process could tell apart: names and bytes. The same in
    /// every run, so that counts of distinct disks can be compared.
    package var fingerprint: UInt64 {
        locked { state in
            var sum: UInt64 = 0
            for entry in state.image.entries {
                let node = state.image.nodes[entry.node]
                var mixed = Self.mix(Array(entry.path.utf8), 0x9E37_79B9_7F4A_7C15)
                if !node.isDirectory { mixed = Self.mix(node.visible, mixed) }
                // A sum, since the order of the names has no meaning.
                sum &+= mixed
            }
            return sum
        }
    }

    private static func mix(_ bytes: [UInt8], _ start: UInt64) -> UInt64 {
        var mixed = start ^ UInt64(bytes.count)
        func take(_ word: UInt64) {
            let (high, low) = (mixed ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            mixed = high ^ low &+ 0x9E37_79B9_7F4A_7C15
        }
        bytes.withUnsafeBytes { buffer in
            var index = 0
            while index + 8 <= buffer.count {
                take(buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index += 8
            }
            var rest: UInt64 = 0
            while index < buffer.count {
                rest = rest << 8 | UInt64(buffer[index])
                index += 1
            }
            take(rest)
        }
        return mixed
    }
}
