import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Hands events to the program's log, one after the other, on a queue of its own: whoever reports one
/// never waits, and the program may do there what it likes.
struct EventLog: Sendable {
    private let store: String
    private let handler: (@Sendable (StoreEvent) -> Void)?
    private let queue = DispatchQueue(label: "WALStore events")
    private let now: @Sendable () -> Int64

    init(_ configuration: StoreConfiguration, store: String) {
        self.store = store
        handler = configuration.log
        now = configuration.now
    }

    func report(_ kind: StoreEvent.Kind) {
        guard let handler else { return }
        let time = Date(timeIntervalSince1970: Double(now()) / 1_000)
        let event = StoreEvent(kind, store: store, time: time)
        queue.async { handler(event) }
    }

    /// The opening, and what recovery did in it.
    func report(_ recovery: RecoveryReport) {
        report(.opened(recovery))
        if recovery.bytesCut > 0 { report(.tailCut(bytes: recovery.bytesCut)) }
        for bytes in recovery.quarantined { report(.quarantined(bytes)) }
    }
}
