/// Completion scripts made from the declarations.
public enum ShellCompletion: String, CaseIterable, Sendable {
    /// GNU bash.
    case bash
    /// The Z shell.
    case zsh
    /// The friendly interactive shell.
    case fish

    /// The script for this shell.
    public func script(for application: Application) -> String {
        let table = CompletionTable(application)
        let lines =
            switch self {
            case .bash: table.bash
            case .zsh: table.zsh
            case .fish: table.fish
            }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Each place where a word can be typed and what can stand there; the three scripts are views of it. All of them find
/// the place in the same way: the words before the cursor that name a command are joined by spaces.
private struct CompletionTable {
    let name: String
    let places: [(path: String, command: Command)]
    let globals: [Declaration]

    init(_ application: Application) {
        name = application.name
        places = application.all.map { ($0.path.joined(separator: " "), $0.command) }
        globals = application.globals
    }

    /// The paths below the application itself.
    var commands: [String] { places.dropFirst().map(\.path) }

    func options(_ command: Command) -> [Declaration] { command.options + globals }

    func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    // MARK: bash

    var bash: [String] {
        var lines = [
            "# bash completion for \(name)",
            "_\(name)() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} at=\(name) word",
            "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
            "        case \"$at $word\" in",
            "        " + commands.map(quoted).joined(separator: " | ") + ") at=\"$at $word\" ;;",
            "        esac",
            "    done",
            "    COMPREPLY=()",
            "    case \"$at $previous\" in",
        ]
        for place in places {
            for option in options(place.command) where option.takesValue {
                lines.append("    \(quoted("\(place.path) --\(option.name)"))) \(reply(option.completion)); return ;;")
            }
        }
        lines += ["    esac", "    case \"$at\" in"]
        for place in places {
            let words = place.command.subcommands.map(\.name) + options(place.command).map { "--" + $0.name }
            lines.append("    \(quoted(place.path)))")
            lines.append("        " + reply(.choices(words)))
            for argument in place.command.arguments where argument.completion != .nothing {
                lines.append("        [[ $current == -* ]] || " + reply(argument.completion))
            }
            lines.append("        ;;")
        }
        return lines + ["    esac", "}", "complete -F _\(name) \(name)"]
    }

    private func reply(_ completion: Completion) -> String {
        let action =
            switch completion {
            case .nothing: ""
            case .files: "-f"
            case .directories: "-d"
            case .choices(let words): "-W " + quoted(words.joined(separator: " "))
            }
        return action.isEmpty ? ":" : "mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \(action) -- \"$current\")"
    }

    // MARK: zsh

    var zsh: [String] {
        var lines = [
            "#compdef \(name)",
            "_\(name)() {",
            "    local at=\(name) word",
            "    for word in ${words[2,CURRENT-1]}; do",
            "        case \"$at $word\" in",
            "        " + commands.map(quoted).joined(separator: "|") + ") at=\"$at $word\" ;;",
            "        esac",
            "    done",
            "    case \"$at\" in",
        ]
        for place in places {
            lines.append("    \(quoted(place.path)))")
            if !place.command.subcommands.isEmpty {
                let entries = place.command.subcommands.map {
                    quoted(escaped($0.name, ":") + ":" + escaped($0.summary, ":"))
                }
                lines.append("        local -a commands=(\(entries.joined(separator: " ")))")
                lines.append("        [[ $PREFIX == -* ]] || _describe command commands")
            }
            let specifications = options(place.command).map { option in
                let stars = option.form == .repeatedOption ? "*" : ""
                let head = stars + "--" + option.name + (option.takesValue ? "=" : "")
                let value = option.takesValue ? ":" + option.placeholder + ":" + action(option.completion) : ""
                return quoted(head + "[" + escaped(option.help, "[]:") + "]" + value)
            }
            let rest = place.command.arguments.last.map { "*:\($0.name):" + action($0.completion) } ?? "*:: :"
            lines.append("        _arguments " + (specifications + [quoted(rest)]).joined(separator: " "))
            lines.append("        ;;")
        }
        return lines + ["    esac", "}", "compdef _\(name) \(name)"]
    }

    private func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .choices(let words): "(" + words.joined(separator: " ") + ")"
        }
    }

    private func escaped(_ text: String, _ special: String) -> String {
        text.reduce(into: "") { result, character in
            if special.contains(character) || character == "\\" { result.append("\\") }
            result.append(character)
        }
    }

    // MARK: fish

    var fish: [String] {
        var lines = [
            "# fish completion for \(name)",
            "function __\(name)_at",
            "    set -l at \(name)",
            "    for word in (commandline -opc)[2..-1]",
            "        if contains -- \"$at $word\" " + commands.map(quotedForFish).joined(separator: " "),
            "            set at \"$at $word\"",
            "        end",
            "    end",
            "    test \"$at\" = \"$argv\"",
            "end",
            "complete -c \(name) -f",
        ]
        for place in places {
            let start = "complete -c \(name) -n " + quotedForFish("__\(name)_at \(place.path)")
            for one in place.command.subcommands {
                lines.append("\(start) -a \(quotedForFish(one.name)) -d \(quotedForFish(one.summary))")
            }
            for argument in place.command.arguments where argument.completion != .nothing {
                lines.append(start + fish(argument.completion))
            }
            for option in options(place.command) {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.takesValue ? " -x" + fish(option.completion) : ""
                lines.append("\(start) -l \(option.name)\(short)\(value) -d \(quotedForFish(option.help))")
            }
        }
        return lines
    }

    private func fish(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .files: " -F"
        case .directories: " -a '(__fish_complete_directories)'"
        case .choices(let words): " -a " + quotedForFish(words.joined(separator: " "))
        }
    }

    private func quotedForFish(_ text: String) -> String {
        "'" + escaped(text, "'") + "'"
    }
}
