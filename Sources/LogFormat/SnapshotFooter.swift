/// The last line of a snapshot; without it, or with another count, the snapshot is damaged.
package struct SnapshotFooter: Hashable, Sendable {
    /// The number of records in the snapshot.
    package var records: UInt64

    package init(records: UInt64) {
        self.records = records
    }

    /// The footer in the members behind `crc`, or nil when they have another shape.
    init?(_ cursor: inout LineCursor) {
        guard cursor.skip(#""end":true,"records":"#), let records = cursor.number() else { return nil }
        guard cursor.skip("}"), cursor.isAtEnd else { return nil }
        self.records = records
    }
}
