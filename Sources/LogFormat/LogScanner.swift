/// Splits a file into lines and says what each one is, in bounded memory, without reading it itself.
///
/// The caller owns the file: it loops over `next()`, reads bytes into the buffer when asked and
/// reports them with `didRead`. So the scanner does no I/O, and a test can feed it any bytes.
///
/// Within bytes that are no valid line it goes on at the next `{"crc":"`, not only behind the next LF:
/// NULs or a flipped bit can swallow the LF before a sound line.
///
/// Memory: `windowSize`, or twice the longest line that starts like one, up to `longestLine`. Time is
/// linear in the bytes, whatever they are.
package struct LogScanner: ~Copyable {
    package enum Step {
        case line(ScannedLine)
        /// Read from `offset` into `buffer`, then call `didRead`. Fewer bytes than the buffer holds are
        /// fine as long as there is at least one.
        case needsBytes(offset: UInt64, buffer: UnsafeMutableRawBufferPointer)
        case end
    }

    /// The longest line that is read, and that the library writes: 256 MiB.
    package static let longestLine = 256 << 20

    static let marker: StaticString = #"{"crc":""#
    private static let markerLength = 8
    private static let frameLength = 18

    private let length: UInt64
    private var window: UnsafeMutableRawBufferPointer
    /// The bytes of the window that hold unscanned bytes of the file.
    private var start = 0
    private var end = 0
    /// Where `start` stands in the file.
    private var offset: UInt64
    private var lineNumber: UInt64
    /// Up to here the window is known to hold no LF from `start` on.
    private var searched = 0
    /// Whether `start` stands inside a line whose beginning was reported as invalid.
    private var isInsideDamagedLine = false
    private let longest: Int

    /// A scanner for the bytes `offset..<length` of a file; `offset` stands at the start of line `line`.
    package init(
        offset: UInt64 = 0,
        line: UInt64 = 1,
        length: UInt64,
        windowSize: Int = 256 << 10,
        longestLine: Int = LogScanner.longestLine
    ) {
        precondition(longestLine <= Int32.max, "Places in a line are kept in four bytes.")
        self.offset = offset
        lineNumber = line
        self.length = length
        longest = longestLine
        let size = max(64, min(UInt64(max(windowSize, 64)), length > offset ? length - offset : 0))
        window = .allocate(byteCount: Int(size), alignment: 16)
    }

    deinit {
        window.deallocate()
    }

    /// The caller has put the file's next `count` bytes into the buffer it was given.
    package mutating func didRead(_ count: Int) {
        precondition(
            count > 0 && count <= window.count - end,
            "A scanner is told what was read, at least a byte."
        )
        end += count
    }

    package mutating func next() -> Step {
        if start == end { return isAtEndOfFile ? .end : needsBytes() }
        let first = base + start
        let limit = base + end
        if first.load(as: UInt8.self) == 0x0A {
            var next = first + 1
            while next < limit, next.load(as: UInt8.self) == 0x0A { next += 1 }
            let count = next - first
            let place = take(count, lines: UInt64(count))
            isInsideDamagedLine = false
            return .line(.padding(place))
        }
        if limit - first < Self.markerLength, !isAtEndOfFile { return needsBytes() }
        if limit - first >= Self.markerLength, ByteSearch.matches(Self.marker, at: first) {
            return markedLine(first, limit)
        }
        return unmarkedBytes(first, limit)
    }

    // MARK: Lines

    /// At `first` stands `{"crc":"`: a line if all up to its LF bears it out.
    @inline(__always)
    private mutating func markedLine(_ first: UnsafeRawPointer, _ limit: UnsafeRawPointer) -> Step {
        let end = ByteSearch.first(0x0A, from: max(first, base + searched), to: limit)
        guard let lineFeed = end, lineFeed - first < longest else {
            searched = (end ?? limit) - base
            if end == nil, isAtEndOfFile { return invalid(.lineEnd, limit - first) }
            if limit - first >= longest { return invalid(.length, overlongPiece(first)) }
            return needsBytes()
        }
        let line = UnsafeRawBufferPointer(start: first, count: lineFeed + 1 - first)
        if let reason = LineReader.damage(in: line) {
            if let candidate = LineReader.firstLineInside(line, marker: Self.marker) {
                return invalid(reason, candidate)
            }
            return invalid(reason, line.count, lines: 1)
        }
        if let record = Record(line) { return .line(.record(record, takeValid(line))) }
        return switch LineReader.other(line) {
        case .header(let header): .line(.header(header, takeValid(line)))
        case .footer(let footer): .line(.footer(footer, takeValid(line)))
        case .newerFormat(let format): invalid(.newerFormat(format), line.count, lines: 1)
        case nil: invalid(.shape, line.count, lines: 1)
        }
    }

    /// How much of a line that is too long is reported at once: not up to the next marker, or a line full
    /// of them would be moved through the window for each; but no marker is cut in two.
    private func overlongPiece(_ first: UnsafeRawPointer) -> Int {
        let middle = first + max(longest / 2, Self.markerLength)
        let around = Self.markerLength - 1
        return (ByteSearch.first(Self.marker, from: middle - around, to: middle + around) ?? middle) - first
    }

    /// What stands at `first` is no line, whatever follows: skip to the next place where one may begin.
    private mutating func unmarkedBytes(_ first: UnsafeRawPointer, _ limit: UnsafeRawPointer) -> Step {
        let lineFeed = ByteSearch.first(0x0A, from: first, to: limit)
        if let mark = ByteSearch.first(Self.marker, from: first, to: lineFeed ?? limit) {
            return invalid(.frame, mark - first)
        }
        if let lineFeed { return invalid(.frame, lineFeed + 1 - first, lines: 1) }
        if isAtEndOfFile { return invalid(.lineEnd, limit - first) }
        // A marker may have begun in the last bytes that are here.
        let certain = limit - first - (Self.markerLength - 1)
        return certain > 0 ? invalid(.frame, certain) : needsBytes()
    }

    // MARK: The window

    private var base: UnsafeRawPointer { UnsafeRawPointer(window.baseAddress!) }

    private var isAtEndOfFile: Bool { offset + UInt64(end - start) >= length }

    @inline(__always)
    private mutating func takeValid(_ line: UnsafeRawBufferPointer) -> LinePlace {
        let place = take(line.count, lines: 1)
        isInsideDamagedLine = false
        return place
    }

    @inline(__always)
    private mutating func take(_ count: Int, lines: UInt64) -> LinePlace {
        let place = LinePlace(
            range: offset..<offset + UInt64(count),
            line: lineNumber,
            isInsideDamagedLine: isInsideDamagedLine
        )
        start += count
        offset += UInt64(count)
        lineNumber += lines
        searched = max(searched, start)
        return place
    }

    private mutating func invalid(_ reason: InvalidBytes.Reason, _ count: Int, lines: UInt64 = 0) -> Step {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count)
        let place = take(count, lines: lines)
        isInsideDamagedLine = lines == 0
        return .line(.invalid(InvalidBytes(reason: reason, bytes: bytes), place))
    }

    /// Makes room behind the unscanned bytes, in a larger window when they fill it.
    private mutating func needsBytes() -> Step {
        let held = end - start
        if start > 0 {
            window.baseAddress!.copyMemory(from: base + start, byteCount: held)
            searched = max(0, searched - start)
            start = 0
            end = held
        }
        let unread = length - offset - UInt64(held)
        if held * 2 > window.count, UInt64(window.count - held) < unread {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: window.count * 2, alignment: 16)
            larger.baseAddress!.copyMemory(from: base, byteCount: held)
            window.deallocate()
            window = larger
        }
        let room = min(UInt64(window.count - end), unread)
        let buffer = UnsafeMutableRawBufferPointer(rebasing: window[end..<end + Int(room)])
        return .needsBytes(offset: offset + UInt64(held), buffer: buffer)
    }
}
