import LogInspection
import LogStorage

StandardStreams.ignoreBrokenPipes()

let inspector = Inspector(
    fileSystem: POSIXFileSystem(),
    output: output(to: StandardStreams.output),
    diagnostics: output(to: StandardStreams.diagnostics),
    isRich: StandardStreams.isTerminal(StandardStreams.output)
        && StandardStreams.environment("NO_COLOR").map(\.isEmpty) ?? true,
    now: StandardStreams.currentTime(),
    pause: { BlockingPause.wait(.milliseconds(20)) }
)

func output(to descriptor: Int32) -> Output {
    Output { bytes in
        Result { () throws(StorageError) in try StandardStreams.write(bytes, to: descriptor) }
    }
}

/// From arguments to an exit code.
@MainActor
func run(_ arguments: [String]) async -> Int32 {
    do throws(UsageError) {
        switch try CommandParser.parse(arguments) {
        case .demo(let directory): return await runDemo(directory: directory)
        case let command: return inspector.run(command).rawValue
        }
    } catch {
        return inspector.refuse(error).rawValue
    }
}

StandardStreams.exit(await run(Array(CommandLine.arguments.dropFirst())))
