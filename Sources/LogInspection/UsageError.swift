/// The arguments make no command.
package struct UsageError: Error, Hashable, Sendable {
    /// A sentence without its full stop.
    package var message: String
    /// The command whose help would tell more.
    package var command: CommandName?

    init(_ message: String, in command: CommandName? = nil) {
        self.message = message
        self.command = command
    }
}

extension UsageError: CustomStringConvertible {
    package var description: String {
        let help = command.map { "walstore \($0.rawValue) --help" } ?? "walstore --help"
        return "\(message). See \(help)."
    }
}
