import Foundation
import LogInspection
import LogMaintenance
import LogStorage

StandardStreams.ignoreBrokenPipes()

let progressIsSeen = StandardStreams.isTerminal(StandardStreams.diagnostics)

let watch = ReadingWatch(
    show: progressIsSeen ? showProgress : nil,
    isInterrupted: { Interruption.isRequested }
)

let inspector = Inspector(
    fileSystem: POSIXFileSystem(),
    output: output(to: StandardStreams.output),
    diagnostics: output(to: StandardStreams.diagnostics),
    isRich: StandardStreams.isTerminal(StandardStreams.output)
        && StandardStreams.environment("NO_COLOR").map(\.isEmpty) ?? true,
    now: StandardStreams.currentTime(),
    watch: watch,
    pause: { BlockingPause.wait(.milliseconds(20)) }
)

let maintainer = Maintainer(
    fileSystem: POSIXFileSystem(),
    output: output(to: StandardStreams.output),
    diagnostics: output(to: StandardStreams.diagnostics),
    surroundings: Maintainer.Surroundings(
        now: { StandardStreams.currentTime() },
        holder: "process \(StandardStreams.processID) (walstore)",
        newStore: { UUID().uuidString.lowercased() },
        realPath: { StandardStreams.realPath($0) },
        progress: progressIsSeen ? showProgress : nil,
        watch: watch,
        pause: { BlockingPause.wait(.milliseconds(20)) }
    )
)

func output(to descriptor: Int32) -> Output {
    Output { bytes in
        // A line of progress must not stand in the middle of what is printed.
        watch.clear()
        return Result { () throws(StorageError) in try StandardStreams.write(bytes, to: descriptor) }
    }
}

/// Puts a line in the place of the one that the cursor stands in.
@Sendable
func showProgress(_ line: String) {
    do throws(StorageError) {
        let text = Array("\r\u{1B}[K\(line)".utf8)
        _ = try text.withUnsafeBufferPointer { (text) throws(StorageError) in
            try StandardStreams.write(UnsafeRawBufferPointer(text), to: StandardStreams.diagnostics)
        }
    } catch {
        // Nobody sees it; the work goes on.
    }
}

/// From arguments to an exit code.
@MainActor
func run(_ arguments: [String]) async -> Int32 {
    do throws(UsageError) {
        let command = try CommandParser.parse(arguments)
        if case .demo(let directory) = command { return await runDemo(directory: directory) }
        if command.canBeInterrupted { Interruption.note() }
        return (maintainer.run(command) ?? inspector.run(command)).rawValue
    } catch {
        return inspector.refuse(error).rawValue
    }
}

StandardStreams.exit(await run(Array(CommandLine.arguments.dropFirst())))
