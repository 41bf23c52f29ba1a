import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program of this package.
package enum BuiltProgram {
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where the build put it: beside the test bundle, or in a directory above that.
    package static func path(_ name: String) throws -> String {
        var starts = CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        #if os(Linux)
            starts.append(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath())
        #endif
        for start in starts {
            var directory = start.deletingLastPathComponent()
            for _ in 0..<6 {
                let path = directory.appending(path: name).path
                if isProgram(path) { return path }
                directory.deleteLastPathComponent()
            }
        }
        throw Missing(
            description: "The program \(name) is not beside \(starts). Build it with \"swift build\"."
        )
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
