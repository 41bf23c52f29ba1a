/// Searching bytes eight at a time, without a system library.
enum ByteSearch {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes at `place`, the first of them lowest.
    @inline(__always)
    static func word(_ place: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    }

    /// Which byte of a word the lowest set bit of such a mark stands for.
    @inline(__always)
    static func firstByte(_ mark: UInt64) -> Int { mark.trailingZeroBitCount >> 3 }

    /// Non-zero exactly when a byte of `word` is zero; the lowest set bit then marks the first of them.
    @inline(__always)
    static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & highBits
    }

    /// Non-zero when a byte of `word` ends a plain run inside a JSON string: a quote, a backslash, a
    /// control character or the start of a non-ASCII scalar. The lowest set bit marks the first.
    ///
    /// A byte from 0x80 on marks itself, so the subtractions, which borrow only behind a stop, need not
    /// tell it from one below.
    @inline(__always)
    static func stringStops(_ word: UInt64) -> UInt64 {
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        let controls = word &- (ones &* 0x20)
        return (quotes | backslashes | controls | word) & highBits
    }

    /// How many decimal digits a word begins with.
    @inline(__always)
    static func leadingDigits(_ word: UInt64) -> Int {
        let digits = word ^ (ones &* 0x30)
        // A byte above 9 carries into its high bit; a carry beyond reaches only bytes behind it.
        let others = ((digits &+ (ones &* 0x76)) | digits) & highBits
        return firstByte(others)
    }

    /// The first `byte` in `start..<end`, or nil.
    static func first(_ byte: UInt8, from start: UnsafeRawPointer, to end: UnsafeRawPointer)
        -> UnsafeRawPointer?
    {
        var next = start
        let pattern = ones &* UInt64(byte)
        while end - next >= 32 {
            let a = zeroBytes(word(next) ^ pattern)
            let b = zeroBytes(word(next + 8) ^ pattern)
            let c = zeroBytes(word(next + 16) ^ pattern)
            let d = zeroBytes(word(next + 24) ^ pattern)
            if a | b | c | d != 0 {
                if a != 0 { return next + firstByte(a) }
                if b != 0 { return next + 8 + firstByte(b) }
                if c != 0 { return next + 16 + firstByte(c) }
                return next + 24 + firstByte(d)
            }
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
        let length = text.utf8CodeUnitCount
        // The text is known when this is compiled, so each comparison is one with a constant.
        var index = 0
        while length - index >= 8 {
            guard equal(UInt64.self, place, expected, index) else { return false }
            index += 8
        }
        if length - index >= 4 {
            guard equal(UInt32.self, place, expected, index) else { return false }
            index += 4
        }
        if length - index >= 2 {
            guard equal(UInt16.self, place, expected, index) else { return false }
            index += 2
        }
        return length == index || equal(UInt8.self, place, expected, index)
    }

    @inline(__always)
    private static func equal<Word: FixedWidthInteger & BitwiseCopyable>(
        _ type: Word.Type,
        _ place: UnsafeRawPointer,
        _ expected: UnsafeRawPointer,
        _ index: Int
    ) -> Bool {
        place.loadUnaligned(fromByteOffset: index, as: type)
            == expected.loadUnaligned(fromByteOffset: index, as: type)
    }
}
