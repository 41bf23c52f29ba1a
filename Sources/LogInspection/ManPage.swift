/// The manual page, from the same words as the help.
enum ManPage {
    static var text: String {
        let commands = CommandName.allCases.map { name in
            """
            .SS \(roff(name.rawValue))
            \(paragraph(name.summary.prefix(1).uppercased() + name.summary.dropFirst() + "."))
            \(preformatted("walstore \(name.usage)\n\n\(name.details)"))
            """
        }
        return """
            .TH WALSTORE 1 "" "\(roff(CommandLineHelp.version))" "User Commands"
            .SH NAME
            walstore \\- look into a store of WALStore, and maintain it
            .SH SYNOPSIS
            .B walstore
            .I COMMAND STORE
            [options]
            .br
            .B walstore
            .I COMMAND
            .B \\-\\-help
            .SH DESCRIPTION
            \(paragraph(CommandLineHelp.introduction))
            .PP
            \(paragraph(CommandLineHelp.words))
            .SH COMMANDS
            \(commands.joined(separator: "\n"))
            .SH "EXIT STATUS"
            \(preformatted(CommandLineHelp.exitCodes))
            .PP
            \(paragraph(CommandLineHelp.verdicts))
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            When it is set and not empty, nothing is coloured and no bars are drawn.
            .SH EXAMPLES
            \(preformatted("walstore verify questions.wal\nwalstore dump questions.wal --id q-001 --json | jq .value\nwalstore report questions.wal --html questions.html"))
            """
    }

    private static func paragraph(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").map { roff($0) }.joined(separator: "\n")
    }

    private static func preformatted(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { roff($0) }
        return ".PP\n.nf\n.RS\n\(lines.joined(separator: "\n"))\n.RE\n.fi"
    }

    /// Text in which nothing is a command of the formatter.
    private static func roff(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "`": result += "\\(ga"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }
}
