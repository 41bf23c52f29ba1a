/// What can still be read in a damaged line: for a report, never to be trusted.
package struct DamagedLine: Hashable, Sendable {
    /// The number that stands behind the first `"seq":`.
    package private(set) var sequenceNumber: SequenceNumber?
    /// The id that stands behind the first `"id":`.
    package private(set) var id: CanonicalID?

    package init(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let end = start + bytes.count
        func cursor(behind name: StaticString) -> LineCursor? {
            ByteSearch.first(name, from: start, to: end).map { place in
                let value = place + name.utf8CodeUnitCount
                return LineCursor(UnsafeRawBufferPointer(start: value, count: end - value))
            }
        }
        if var number = cursor(behind: #""seq":"#) {
            sequenceNumber = number.number().map { SequenceNumber($0) }
        }
        if var id = cursor(behind: #""id":"#) {
            let start = id.next
            if id.skipID() {
                self.id = CanonicalID(verified: UnsafeRawBufferPointer(start: start, count: id.next - start))
            }
        }
    }
}
