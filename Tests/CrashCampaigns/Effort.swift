#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How much the loops try: little where code is not optimised, all with `WALSTORE_FULL=1`.
package enum Effort {
    package static let isFull = getenv("WALSTORE_FULL").map { String(cString: $0) == "1" } ?? false

    /// Whether a sanitizer looks on, which keeps memory that was given back: Tools/sanitize says so.
    package static let isSanitized = getenv("WALSTORE_SANITIZED") != nil

    /// `quick` in a debug build, `release` in a release build, `full` where all is asked for.
    package static func count(_ quick: Int, release: Int, full: Int) -> Int {
        if isFull { return full }
        #if DEBUG
            return quick
        #else
            return release
        #endif
    }

    /// Seeds to try one after the other.
    package static func seeds(_ quick: Int, release: Int, full: Int) -> Range<UInt64> {
        0..<UInt64(count(quick, release: release, full: full))
    }
}
