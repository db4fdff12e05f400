/// Commands that every application can have: they print what is made from the declarations.
public enum StandardCommands {
    /// `completion SHELL`
    public static func completion(of name: String) -> Command {
        let shell = Argument(
            "SHELL",
            .choice(ShellCompletion.allCases.map(\.rawValue)),
            "The shell to print a script for"
        )
        return Command(
            "completion",
            "Print a shell completion script",
            takes: [shell],
            examples: [
                Example("source <(\(name) completion bash)", "Completes in this bash"),
                Example("\(name) completion zsh > ~/.zfunc/_\(name)", "Installs it for zsh, with ~/.zfunc in fpath"),
                Example("\(name) completion fish > ~/.config/fish/completions/\(name).fish", "Installs it for fish"),
            ]
        ) { call in
            guard let script = ShellCompletion(rawValue: call[shell]) else { return }
            try call.console.output.write(script.script(for: call.application))
        }
    }

    /// `man [--directory DIR]`
    public static func manual(of name: String) -> Command {
        let directory = Option("directory", .directory, "Write a page for each command into DIR, which must exist")
        return Command(
            "man",
            "Print the manual page, or write all of them",
            takes: [directory],
            examples: [
                Example("\(name) man | man -l -", "Reads the manual"),
                Example(
                    "mkdir -p ~/.local/share/man/man1 && \(name) man --directory ~/.local/share/man/man1",
                    "Installs a page for each command"
                ),
            ]
        ) { call in
            let pages = ManualPage(call.application)
            guard let path = call[directory] else {
                try call.console.output.write(pages.complete)
                return
            }
            for page in pages.files { try Files.write(path + "/" + page.name, page.text) }
            call.console.say("\(pages.files.count) pages written to \(path)")
        }
    }
}
