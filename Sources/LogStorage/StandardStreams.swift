#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a command-line program asks of the system besides files.
package enum StandardStreams {
    package static let output: Int32 = 1
    package static let diagnostics: Int32 = 2

    /// A reader that has gone away becomes the error EPIPE of a write instead of this process's death.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a person looks at the stream.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Writes all of `bytes`; false when nobody reads the stream any longer.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(StorageError)
        -> Bool
    {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = systemWrite(descriptor, rest)
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                return false
            } else if errno == EAGAIN {
                // Someone left the terminal or pipe non-blocking: wait until it takes bytes again.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw StorageError(errno: .write, descriptor == output ? "standard output" : "standard error")
            }
        }
        return true
    }

    /// The path of what a path stands for, without links and relative parts; nil when there is nothing.
    package static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The number of this process.
    package static var processID: Int32 { getpid() }

    /// Ends the process.
    package static func exit(_ code: Int32) -> Never {
        systemExit(code)
    }

    /// The value of an environment variable, or nil.
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }

    /// Milliseconds since 1970-01-01 UTC.
    package static func currentTime() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

private func systemExit(_ code: Int32) -> Never {
    exit(code)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
