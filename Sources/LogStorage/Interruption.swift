#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Synchronization

/// Whether someone has asked the process to stop, with Control-C or `kill`.
package enum Interruption {
    private static let isAsked = Atomic(false)

    /// From here on the first SIGINT, SIGTERM or SIGHUP is noted for the work to see; a second one ends the
    /// process at once.
    package static func note() {
        var action = sigaction()
        // Touched before a signal can be: the handler must not be the one to make it.
        isAsked.store(false, ordering: .relaxed)
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in Interruption.ask() }
        #else
            action.__sigaction_handler.sa_handler = { _ in Interruption.ask() }
        #endif
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaction(signal, &action, nil) }
    }

    private static func ask() {
        isAsked.store(true, ordering: .relaxed)
    }

    package static var isRequested: Bool { isAsked.load(ordering: .relaxed) }
}
