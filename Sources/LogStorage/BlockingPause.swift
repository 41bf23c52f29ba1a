#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A wait that holds its thread: for threads that belong to their caller.
package enum BlockingPause {
    /// Returns when at least so much time has passed.
    package static func wait(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return }
        var request = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        while nanosleep(&request, &rest) == -1, errno == EINTR { request = rest }
    }
}
