import Foundation

/// The project and its peers, side by side, against the goals.
@main
struct Walbench {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if let (task, directory) = options.child {
                try await Child.run(task, directory)
            } else {
                try await measure(options)
            }
        } catch {
            log("walbench: \(error)")
            exit(1)
        }
    }

    private nonisolated static func measure(_ options: Options) async throws {
        let scratch = try Scratch(options.directory)
        let machine = Machine(scratch.root)
        if machine.fileSystem == "tmpfs" {
            log("\(scratch.root) is in memory, where a sync costs nothing. Use --dir with a real disk.")
        }
        let suite = try await Suite(options, scratch)
        let run = Run(options: options) { log($0) }
        var results: [OperationResult] = []
        let operations =
            options.only.isEmpty
            ? suite.operations()
            : (suite.operations() + suite.longOperations()).filter { options.only.contains($0.number) }
        for operation in operations {
            let result = await run.result(of: operation)
            results.append(result)
            // A run takes long: what it has found by then is not to be lost with it.
            if !options.isJSON { print(Report.text(of: result) + "\n") }
        }
        try scratch.removeAll()
        let report = Report(options: options, machine: machine, results: results)
        print(options.isJSON ? try report.json() : report.summary)
    }

    private nonisolated static func log(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
