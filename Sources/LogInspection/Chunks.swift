/// A growing list in pieces of a fixed size, so that growing never holds the old and the new list at once.
struct Chunks<Element> {
    private static var chunkSize: Int { 1 << 14 }

    private var chunks: [[Element]] = []
    private(set) var count = 0

    init() {}

    /// The same element so often. Whole pieces are one and the same in memory until one of them is changed.
    init(repeating element: Element, count: Int) {
        let whole = [Element](repeating: element, count: min(count, Self.chunkSize))
        chunks = Array(repeating: whole, count: count / Self.chunkSize)
        self.count = chunks.count * Self.chunkSize
        while self.count < count { append(element) }
    }

    mutating func append(_ element: Element) {
        if count == chunks.count * Self.chunkSize {
            chunks.append([])
            // The first piece grows as it needs: most stores are small.
            if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSize) }
        }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    subscript(_ index: Int) -> Element {
        get { chunks[index / Self.chunkSize][index % Self.chunkSize] }
        _modify { yield &chunks[index / Self.chunkSize][index % Self.chunkSize] }
    }

    var indices: Range<Int> { 0..<count }
}
