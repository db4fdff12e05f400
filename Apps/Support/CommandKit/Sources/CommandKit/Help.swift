/// The text of `--help`.
struct Help {
    private let application: Application
    private let command: Command
    private let path: [String]
    private let isStyled: Bool
    private static let width = 100

    init(_ application: Application, _ command: Command, path: [String], isStyled: Bool) {
        self.application = application
        self.command = command
        self.path = path
        self.isStyled = isStyled
    }

    var text: String {
        var lines = [command.summary, "", heading("Usage:") + " " + Self.usage(command, path: path)]
        for paragraph in command.details { lines += [""] + wrap(paragraph, indent: 0) }
        lines += subcommandSections
        lines += section("Arguments:", rows: command.arguments.map { ($0.heading, $0.fullHelp) })
        lines += section("Options:", rows: command.options.map { ($0.heading, $0.fullHelp) })
        lines += section("Global options:", rows: application.globals.map { ($0.heading, $0.fullHelp) })
        if !command.examples.isEmpty {
            lines += ["", heading(command.examples.count == 1 ? "Example:" : "Examples:")]
            for example in command.examples {
                lines.append("  " + example.line)
                lines += wrap(example.explanation, indent: 6)
            }
        }
        if !command.subcommands.isEmpty {
            lines += ["", "'\(path.joined(separator: " ")) COMMAND --help' says more, with examples."]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func usage(_ command: Command, path: [String]) -> String {
        let words = command.isGroup ? ["COMMAND"] : (command.options + command.arguments).map(\.usage)
        return (path + words).joined(separator: " ")
    }

    private var subcommandSections: [String] {
        var names: [String] = []
        for one in command.subcommands where !names.contains(one.section) { names.append(one.section) }
        return names.flatMap { name in
            let members = command.subcommands.filter { $0.section == name }
            return section(
                name.isEmpty ? "Commands:" : name + ":",
                rows: members.map { member in
                    let below = member.subcommands.map(\.name).joined(separator: ", ")
                    return (member.name, below.isEmpty ? member.summary : "\(member.summary) (\(below))")
                }
            )
        }
    }

    private func section(_ title: String, rows: [(String, String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let column = min(28, (rows.map(\.0.count).max() ?? 0) + 4)
        return ["", heading(title)]
            + rows.flatMap { head, help in
                var lines = wrap(help, indent: column)
                let start = "  " + head
                if start.count + 2 > column { return [start] + lines }
                lines[0] = start + lines[0].dropFirst(start.count)
                return lines
            }
    }

    private func heading(_ text: String) -> String { isStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    private func wrap(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > Self.width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return lines + [margin + line]
    }
}
