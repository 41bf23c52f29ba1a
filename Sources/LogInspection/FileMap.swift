/// What the bytes of a file are, in a fixed number of equal pieces.
struct FileMap {
    static let pieces = 160

    let length: UInt64
    /// The bytes of all records in each piece.
    private(set) var records: [UInt64]
    /// The bytes of live records in each piece.
    private(set) var live: [UInt64]

    init(length: UInt64) {
        self.length = length
        records = [UInt64](repeating: 0, count: Self.pieces)
        live = records
    }

    mutating func addRecord(_ range: Range<UInt64>) {
        add(range) { map, piece, bytes in map.records[piece] += bytes }
    }

    mutating func addLive(_ range: Range<UInt64>) {
        add(range) { map, piece, bytes in map.live[piece] += bytes }
    }

    /// Where a piece begins; the last one ends where the next would begin.
    func start(_ piece: Int) -> UInt64 {
        UInt64((Double(length) * Double(piece) / Double(Self.pieces)).rounded(.down))
    }

    /// Where a byte stands, from 0 to the number of pieces.
    func place(_ offset: UInt64) -> Double {
        length == 0 ? 0 : Double(offset) / Double(length) * Double(Self.pieces)
    }

    private mutating func add(_ range: Range<UInt64>, _ body: (inout FileMap, Int, UInt64) -> Void) {
        guard length > 0, !range.isEmpty else { return }
        var piece = min(Int(place(range.lowerBound)), Self.pieces - 1)
        var offset = range.lowerBound
        while offset < range.upperBound, piece < Self.pieces {
            let end = piece == Self.pieces - 1 ? range.upperBound : min(start(piece + 1), range.upperBound)
            if end > offset { body(&self, piece, end - offset) }
            offset = max(offset, end)
            piece += 1
        }
    }
}
