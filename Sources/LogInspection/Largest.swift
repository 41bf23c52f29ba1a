/// The largest of many by size, found without sorting all.
struct Largest<Element> {
    /// The largest first.
    private(set) var list: [(element: Element, size: UInt64)] = []
    private let limit: Int

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Of two that are as large, the one that `precedes` says comes first.
    mutating func insert(_ element: Element, _ size: UInt64, precedes: (Element, Element) -> Bool) {
        if list.count == limit, let last = list.last, size < last.size { return }
        let place = list.firstIndex { size != $0.size ? size > $0.size : precedes(element, $0.element) }
        list.insert((element, size), at: place ?? list.count)
        if list.count > limit { list.removeLast() }
    }
}
