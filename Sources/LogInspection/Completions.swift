/// A shell that can complete what is typed.
package enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
}

/// Scripts that tell a shell the commands and their options, from the grammar that the parser uses.
enum Completions {
    static func script(_ shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    // MARK: What there is

    /// The first words of all commands.
    private static var words: [String] {
        var words: [String] = []
        for name in CommandName.allCases where words.last != name.firstWord { words.append(name.firstWord) }
        return words
    }

    /// The second words of a command whose name has two.
    private static func parts(of word: String) -> [String] {
        CommandName.allCases.filter { $0.firstWord == word }.compactMap(\.secondWord)
    }

    private static func options(of word: String) -> [String] {
        var options: Set<String> = ["--help"]
        for name in CommandName.allCases where name.firstWord == word {
            options.formUnion(name.grammar.flags)
            options.formUnion(name.grammar.options)
        }
        return options.sorted()
    }

    private static func summary(of word: String) -> String {
        let parts = parts(of: word)
        guard parts.isEmpty else { return "\(parts.joined(separator: ", ")): what recovery cut and kept" }
        return CommandName(rawValue: word)?.summary ?? ""
    }

    /// The words that an option takes, or that stand behind a command.
    private static let choices: [(before: String, words: [String])] = [
        ("--op", ["put", "delete", "mark"]),
        ("--by", StatisticsKey.allCases.map(\.rawValue)),
        ("--format", ExportFormat.allCases.map(\.rawValue)),
        ("completions", Shell.allCases.map(\.rawValue)),
    ]

    // MARK: Scripts

    private static var bash: String {
        let commands = words.map { word in
            "        \(word)) words=\"\((parts(of: word) + options(of: word)).joined(separator: " "))\" ;;"
        }
        let values = choices.map { choice in
            "        \(choice.before)) words=\"\(choice.words.joined(separator: " "))\" ;;"
        }
        return """
            # Completion of walstore in bash: source <(walstore completions bash)
            _walstore() {
                local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""
                case "$before" in
            \(values.joined(separator: "\n"))
                    walstore|*/walstore|help) words="\((words + ["help"]).joined(separator: " "))" ;;
                esac
                if [[ -n $words ]]; then
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                    return
                fi
                case "${COMP_WORDS[1]}" in
            \(commands.joined(separator: "\n"))
                esac
                [[ $current == -* || ${COMP_WORDS[1]} == quarantine && $COMP_CWORD == 2 ]] || words=""
                if [[ -n $words ]]; then
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                else
                    COMPREPLY=($(compgen -f -- "$current"))
                fi
            }
            complete -o filenames -F _walstore walstore
            """
    }

    private static var zsh: String {
        let list = words.map { "        '\($0):\(quoted(summary(of: $0)))'" }
        let commands = words.map { word in
            "        \(word)) options=(\((parts(of: word) + options(of: word)).joined(separator: " "))) ;;"
        }
        let values = choices.map {
            "        \($0.before)) compadd \($0.words.joined(separator: " ")); return ;;"
        }
        return """
            #compdef walstore
            # Completion of walstore in zsh: put this as _walstore into a directory of $fpath, or
            # source <(walstore completions zsh)
            _walstore() {
                local -a commands options
                commands=(
            \(list.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                case $words[CURRENT-1] in
            \(values.joined(separator: "\n"))
                esac
                case $words[2] in
            \(commands.joined(separator: "\n"))
                esac
                if [[ $PREFIX == -* || $words[2] == quarantine && $CURRENT == 3 ]]; then
                    compadd -- $options
                else
                    _files
                fi
            }
            if [[ $funcstack[1] == _walstore ]]; then _walstore "$@"; else compdef _walstore walstore; fi
            """
    }

    private static var fish: String {
        var lines = ["# Completion of walstore in fish: walstore completions fish | source"]
        for word in words {
            lines.append(
                "complete -c walstore -n __fish_use_subcommand -f -a \(word) -d '\(quoted(summary(of: word)))'"
            )
            let parts = parts(of: word)
            if !parts.isEmpty {
                lines.append(
                    "complete -c walstore -n '__fish_seen_subcommand_from \(word); and not __fish_seen_subcommand_from "
                        + "\(parts.joined(separator: " "))' -f -a '\(parts.joined(separator: " "))'"
                )
            }
            for option in options(of: word) {
                let form = option.hasPrefix("--") ? "-l \(option.dropFirst(2))" : "-s \(option.dropFirst())"
                let takesValue = CommandName.allCases.contains {
                    $0.firstWord == word && $0.grammar.options.contains(option)
                }
                let values = choices.first { $0.before == option }.map {
                    " -x -a '\($0.words.joined(separator: " "))'"
                }
                lines.append(
                    "complete -c walstore -n '__fish_seen_subcommand_from \(word)' \(form)\(values ?? (takesValue ? " -r" : ""))"
                )
            }
            if let values = choices.first(where: { $0.before == word }) {
                lines.append(
                    "complete -c walstore -n '__fish_seen_subcommand_from \(word)' -f -a '\(values.words.joined(separator: " "))'"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    /// For a text in single quotes.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}

extension CommandName {
    fileprivate var firstWord: String { rawValue.split(separator: " ").first.map(String.init) ?? rawValue }
    fileprivate var secondWord: String? {
        let words = rawValue.split(separator: " ")
        return words.count > 1 ? String(words[1]) : nil
    }
}
