/// What the tool tells the program that called it.
///
/// From 64 on the numbers and their meaning are those of sysexits(3).
package enum ExitCode: Int32, Sendable {
    /// Done, and the store is sound. Also when the reader of the output has gone away.
    case sound = 0
    /// The log ends in an append that a crash cut short. No record known to be synced is lost.
    case tornTail = 1
    /// Damage that no crash explains.
    case corruption = 2
    /// Written by a newer format; nothing was judged.
    case newerFormat = 3
    /// The store holds no such id, or its files do not reach back to the moment that was asked for.
    case notFound = 4
    /// The arguments make no command.
    case usage = 64
    /// The file that was to be imported is not what can be imported.
    case unfitInput = 65
    /// There is no store at the path, or no file to import.
    case noStore = 66
    /// What was to be made is there already, or could not be made.
    case cannotCreate = 73
    /// The system refused to read or write.
    case inputOutput = 74
    /// Another process has the store open for writing.
    case inUse = 75
    /// Someone asked the tool to stop: 128 and the number of the signal SIGINT.
    case interrupted = 130

    package init(_ verdict: Verdict) {
        switch verdict {
        case .sound: self = .sound
        case .tornTail: self = .tornTail
        case .corruption: self = .corruption
        case .newerFormat: self = .newerFormat
        }
    }
}
