import LogStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory of its own in the system's temporary directory, removed with all in it by `deinit`.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let template = (parent.last == "/" ? parent : parent + "/") + "walstore-XXXXXX"
        var name = Array(template.utf8CString)
        guard mkdtemp(&name) != nil else { throw StorageError(.createDirectory, template, errno: errno) }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do {
            try Self.removeAll(path)
        } catch {
            print("A temporary directory stays behind: \(error)")
        }
    }

    private static func removeAll(_ path: String) throws {
        let system = POSIXFileSystem()
        for name in try system.names(in: path) ?? [] {
            let inner = "\(path)/\(name)"
            var status = stat()
            // Not through `kind`, which follows links.
            guard lstat(inner, &status) == 0 else { throw StorageError(.inspect, inner, errno: errno) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try removeAll(inner)
            } else {
                _ = try system.remove(inner)
            }
        }
        guard rmdir(path) == 0 else { throw StorageError(.remove, path, errno: errno) }
    }
}
