import Foundation
import LogStorage
import TestSupport

/// The compiler of this machine and the modules that the build has put beside the tests.
enum Toolchain {
    /// The package's directory.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The directory of the built modules, or nil when this build keeps them elsewhere.
    static let modules: String? = {
        var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<6 {
            let path = directory.appending(path: "Modules").path
            if FileManager.default.fileExists(atPath: "\(path)/WALStore.swiftmodule") { return path }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    static var isThere: Bool { modules != nil && ChildProcess.find("swiftc") != nil }

    /// Runs `swiftc` with these arguments and the modules; returns what it said, and whether it succeeded.
    static func compile(_ arguments: [String], in directory: TemporaryDirectory) async throws -> (
        String, Bool
    ) {
        guard let compiler = ChildProcess.find("swiftc") else { return ("no swiftc", false) }
        let plugins = URL(filePath: compiler).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../lib/swift/host/plugins/testing").standardized.path
        return try await run(
            compiler,
            ["-swift-version", "6", "-suppress-warnings", "-plugin-path", plugins] + arguments,
            directory
        )
    }

    /// The public symbols of a module.
    static func symbols(of module: String, in directory: TemporaryDirectory) async throws -> SymbolGraph {
        guard let tool = ChildProcess.find("swift") else { throw CocoaError(.fileNoSuchFile) }
        let arguments = [
            "symbolgraph-extract", "-module-name", module, "-target", target, "-output-dir", directory.path,
            "-minimum-access-level", "public", "-skip-synthesized-members",
        ]
        let (text, isDone) = try await run(tool, arguments, directory)
        guard isDone else { throw CocoaError(.fileReadUnknown, userInfo: [NSDebugDescriptionErrorKey: text]) }
        let file = URL(filePath: "\(directory.path)/\(module).symbols.json")
        return try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
    }

    private static func run(
        _ tool: String,
        _ arguments: [String],
        _ directory: TemporaryDirectory
    ) async throws -> (String, Bool) {
        let output = "\(directory.path)/output"
        let child = try ChildProcess(tool, arguments + ["-I", modules ?? ""], output: output)
        let code = await child.wait()
        return (try fileText(output), code == 0)
    }

    private static var target: String {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }
}
