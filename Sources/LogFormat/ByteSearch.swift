/// Searching bytes eight at a time, without a system library.
enum ByteSearch {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Non-zero exactly when a byte of `word` is zero; the lowest set bit then marks the first of them.
    @inline(__always)
    static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & highBits
    }

    /// Non-zero when a byte of `word` ends a plain run inside a JSON string: a quote, a backslash, a
    /// control character or the start of a non-ASCII scalar. The lowest set bit marks the first.
    @inline(__always)
    static func stringStops(_ word: UInt64) -> UInt64 {
        let quotes = zeroBytes(word ^ (ones &* 0x22))
        let backslashes = zeroBytes(word ^ (ones &* 0x5C))
        let controls = (word &- (ones &* 0x20)) & ~word & highBits
        return quotes | backslashes | controls | (word & highBits)
    }

    /// The first `byte` in `start..<end`, or nil.
    static func first(_ byte: UInt8, from start: UnsafeRawPointer, to end: UnsafeRawPointer)
        -> UnsafeRawPointer?
    {
        var next = start
        let pattern = ones &* UInt64(byte)
        while end - next >= 32 {
            let a = zeroBytes(next.loadUnaligned(as: UInt64.self) ^ pattern)
            let b = zeroBytes(next.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ pattern)
            let c = zeroBytes(next.loadUnaligned(fromByteOffset: 16, as: UInt64.self) ^ pattern)
            let d = zeroBytes(next.loadUnaligned(fromByteOffset: 24, as: UInt64.self) ^ pattern)
            if a | b | c | d != 0 { break }
            next += 32
        }
        while next < end {
            if next.load(as: UInt8.self) == byte { return next }
            next += 1
        }
        return nil
    }

    /// The first place in `start..<end` where `text` stands whole, or nil.
    static func first(
        _ text: StaticString,
        from start: UnsafeRawPointer,
        to end: UnsafeRawPointer
    ) -> UnsafeRawPointer? {
        let length = text.utf8CodeUnitCount
        var from = start
        while end - from >= length,
            let candidate = first(text.utf8Start.pointee, from: from, to: end - length + 1)
        {
            if matches(text, at: candidate) { return candidate }
            from = candidate + 1
        }
        return nil
    }

    /// Whether `text` stands at `place`; the caller has made sure that so many bytes are there.
    @inline(__always)
    static func matches(_ text: StaticString, at place: UnsafeRawPointer) -> Bool {
        let expected = UnsafeRawPointer(text.utf8Start)
        for index in 0..<text.utf8CodeUnitCount
        where place.load(fromByteOffset: index, as: UInt8.self)
            != expected.load(fromByteOffset: index, as: UInt8.self)
        {
            return false
        }
        return true
    }
}
