/// A record's position in the history of its store: from 1, gapless, never a byte position.
@frozen
package struct SequenceNumber: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The number before the first record: "nothing yet".
    @inlinable
    package static var zero: SequenceNumber { SequenceNumber(0) }

    /// The first record of a store.
    @inlinable
    package static var first: SequenceNumber { SequenceNumber(1) }

    /// The highest number that every JSON reader keeps exact: 2^53 - 1.
    @inlinable
    package static var highest: SequenceNumber { SequenceNumber(9_007_199_254_740_991) }

    @inlinable
    package var next: SequenceNumber { SequenceNumber(rawValue + 1) }

    /// The number before; zero stays zero.
    @inlinable
    package var previous: SequenceNumber { SequenceNumber(rawValue == 0 ? 0 : rawValue - 1) }

    @inlinable
    package func advanced(by count: Int) -> SequenceNumber {
        SequenceNumber(rawValue + UInt64(count))
    }

    @inlinable
    package static func < (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.rawValue < right.rawValue
    }

    // The standard library's own forms of these call `<` through a table, once for each record.

    @inlinable
    package static func <= (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.rawValue <= right.rawValue
    }

    @inlinable
    package static func > (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.rawValue > right.rawValue
    }

    @inlinable
    package static func >= (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.rawValue >= right.rawValue
    }
}

extension SequenceNumber: CustomStringConvertible {
    package var description: String { String(rawValue) }
}
