/// What a store did that it must never do: one of the invariants of the crash suite.
package struct Violation: Error, CustomStringConvertible, Sendable {
    package enum Invariant: Int, Sendable {
        case acknowledgedIsRecovered = 1
        case recoveredIsAPrefix = 2
        case openingSucceeds = 4
        case openingIsIdempotent = 5
        case mutationsAfterRecoverySurvive = 6
        case damageIsExactOrAnError = 7
        case nothingIsAcknowledgedAfterAFailedSync = 8
        case everyoneIsAnswered = 9
        case compactionKeepsTheState = 10
        case logsGoAfterTheirSnapshot = 11
        case nothingIsLeaked = 12
        case oneWriter = 14
        /// Not of the store but of the campaign: one seed must give one trace.
        case campaignIsRepeatable = 100
        /// The independent reading and the store differ.
        case inspectionAgrees = 101
        /// An update or a transaction sees another in its midst.
        case updatesAreAtomic = 102
        /// A file is split into lines as the format says, however it is read.
        case linesAreFound = 103
        /// Salvage gives a sound store with what is sound of a damaged one.
        case salvageKeepsWhatIsSound = 104
    }

    package var invariant: Invariant
    package var text: String

    package init(_ invariant: Invariant, _ text: String) {
        self.invariant = invariant
        self.text = text
    }

    package var description: String { "\(invariant) (\(invariant.rawValue)): \(text)" }
}

/// An error with the case that it came up in.
package struct Named: Error, CustomStringConvertible {
    package var description: String

    package init(_ name: String, _ error: any Error) {
        description = "\(name): \(error)"
    }
}
