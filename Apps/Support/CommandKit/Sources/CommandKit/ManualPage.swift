/// Manual pages in roff, made from the declarations.
public struct ManualPage {
    private let application: Application

    /// The pages of an application.
    public init(_ application: Application) {
        self.application = application
    }

    /// One page for the whole application: every command with its options and examples.
    public var complete: String {
        var lines = header(application.name, application.root.summary)
        lines += [".SH SYNOPSIS", ".B " + text(application.name), ".I COMMAND", "[options] [arguments]"]
        lines += description(application.root)
        lines += [".SH GLOBAL OPTIONS"] + application.globals.flatMap(parameter)
        lines.append(".SH COMMANDS")
        for (path, command) in application.leaves {
            lines += [".SS " + quoted(Help.usage(command, path: path))]
            lines += [text(command.summary + ".")]
            for paragraph in command.details { lines += [".PP", text(paragraph)] }
            lines += command.parameters.flatMap(parameter) + examples(command)
        }
        return finish(lines)
    }

    /// A page for each command: the file's name and its text. The application's own page is among them.
    public var files: [(name: String, text: String)] {
        [(application.name + ".1", complete)]
            + application.leaves.map { path, command in
                var lines = header(path.joined(separator: "-"), command.summary)
                lines += [".SH SYNOPSIS", text(Help.usage(command, path: path))]
                lines += description(command)
                if !command.parameters.isEmpty { lines += [".SH OPTIONS"] + command.parameters.flatMap(parameter) }
                lines += [".SH GLOBAL OPTIONS"] + application.globals.flatMap(parameter)
                lines += [".SH EXAMPLES"] + examples(command)
                return (path.joined(separator: "-") + ".1", finish(lines, seeAlso: true))
            }
    }

    private func header(_ name: String, _ summary: String) -> [String] {
        let title = [name.uppercased(), "1", "", application.name + " " + application.version, ""]
        return [
            ".TH " + title.map(quoted).joined(separator: " "),
            ".SH NAME", text(name) + " \\- " + text(summary),
        ]
    }

    private func description(_ command: Command) -> [String] {
        let paragraphs = command.details.isEmpty ? [command.summary + "."] : command.details
        return [".SH DESCRIPTION"] + paragraphs.flatMap { [".PP", text($0)] }
    }

    private func parameter(_ one: Declaration) -> [String] {
        [".TP", ".B " + text(one.heading.drop { $0 == " " }), text(one.fullHelp + ".")]
    }

    private func examples(_ command: Command) -> [String] {
        command.examples.flatMap { [".PP", text($0.explanation + ":"), ".PP", ".nf", "    " + text($0.line), ".fi"] }
    }

    private func finish(_ lines: [String], seeAlso: Bool = false) -> String {
        var lines = lines
        for note in application.notes {
            lines += [".SH " + quoted(note.heading.uppercased())] + note.paragraphs.flatMap { [".PP", text($0)] }
        }
        if seeAlso { lines += [".SH SEE ALSO", ".BR " + text(application.name) + " (1)"] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A dash stays a dash, a backslash a backslash, and no line begins with a control character of roff.
    private func text(_ plain: some StringProtocol) -> String {
        var result = ""
        for character in plain {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    private func quoted(_ plain: String) -> String {
        "\"" + text(plain).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
    }
}
