import Foundation
import Testing

@testable import CommandKit

@Suite struct GeneratedTextTests {
    @Test(arguments: ["--help", "-h", "help", "--help --nothing-else"].prefix(3))
    func theApplicationsHelpListsEveryCommandUnderItsHeading(line: String) async throws {
        let result = try await Sample.run(line)
        #expect(result.code == .done)
        #expect(result.errors == "")
        #expect(result.output.contains("Usage: sample COMMAND"))
        #expect(result.output.contains("Plumbing:\n  files"))
        #expect(result.output.contains("  item        Work on items (show)"))
    }

    @Test(arguments: ["item show --help", "help item show", "item show one two three --help"])
    func aCommandsHelpShowsWhatItTakesAndAnExample(line: String) async throws {
        let help = try await Sample.run(line).output
        #expect(
            help.contains("Usage: sample item show [--count N] [--label TEXT] [--tag TEXT]... [--loud] FIRST [SECOND]")
        )
        #expect(help.contains("-c, --count N"))
        #expect(help.contains("How many (default 3)"))
        #expect(help.contains("What to call it (or SAMPLE_LABEL)"))
        #expect(help.contains("A colour (red, green)"))
        #expect(help.contains("Example:\n  sample item show one\n"))
        #expect(help.contains("--timeout SECONDS"))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(!help.contains("\u{1B}"))
    }

    @Test func theVersionIsOneLine() async throws {
        #expect(try await Sample.run("--version").output == "sample 1.2.3\n")
        #expect(try await Sample.run("item show --version").output == "sample 1.2.3\n")
    }

    @Test(arguments: ShellCompletion.allCases)
    func completionKnowsEveryCommandAndOption(shell: ShellCompletion) async throws {
        let script = try await Sample.run("completion " + shell.rawValue).output
        for (path, command) in Sample.application.all.dropFirst() {
            #expect(script.contains(path.joined(separator: " ")), "\(path)")
            for option in command.options {
                #expect(script.contains(shell == .fish ? "-l \(option.name) " : "--\(option.name)"), "\(option.name)")
            }
        }
    }

    @Test(arguments: [
        (["sample", ""], ["item", "files", "--help"]), (["sample", "it"], ["item"]),
        (["sample", "item", "s"], ["show"]), (["sample", "item", "show", "--co"], ["--count"]),
        (["sample", "item", "show", "one", "r"], ["red"]), (["sample", "completion", ""], ["bash", "zsh", "fish"]),
        (["sample", "--home", "x", "item", "sh"], ["show"]),
    ])
    func bashOffersWhatFits(words: [String], expected: [String]) throws {
        let script = ShellCompletion.bash.script(for: Sample.application)
        let array = words.map { "'\($0)'" }.joined(separator: " ")
        let offered = try shell(
            "bash",
            script
                + "\nCOMP_WORDS=(\(array)) COMP_CWORD=\(words.count - 1)\n_sample\nprintf '%s\\n' \"${COMPREPLY[@]}\""
        )
        let found = offered.split(separator: "\n").map(String.init)
        #expect(Set(expected).isSubset(of: found), "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix(words.last ?? "") })
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func zshAcceptsItsScript() throws {
        let script = ShellCompletion.zsh.script(for: Sample.application)
        #expect(try shell("zsh", "autoload -Uz compinit\ncompinit -u -D\n" + script + "\nprint fine") == "fine\n")
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
    func fishOffersWhatFits() throws {
        let script = ShellCompletion.fish.script(for: Sample.application)
        let offered = try shell(
            "fish",
            script + "\ncomplete -C 'sample item sh'\ncomplete -C 'sample item show --co'\n"
        )
        #expect(offered == "show\tShow what was given\n--count\tHow many\n")
    }

    @Test func theManualCoversEveryCommandAndItsNotes() async throws {
        let page = try await Sample.run("man").output
        #expect(page.hasPrefix(".TH \"SAMPLE\" \"1\""))
        for (path, command) in Sample.application.leaves {
            #expect(page.contains(".SS \"" + path.joined(separator: " ")), "\(path)")
            for option in command.options {
                #expect(page.contains("\\-\\-" + option.name.replacingOccurrences(of: "-", with: "\\-")))
            }
        }
        #expect(page.contains(".SH \"EXIT STATUS\""))
        #expect(page.split(separator: "\n").allSatisfy { !$0.hasPrefix("'") })
    }

    @Test(.enabled(if: isInstalled("groff"), "groff is not installed"))
    func theManualIsReadWithoutComplaint() throws {
        for file in ManualPage(Sample.application).files {
            let folder = try TemporaryFolder()
            _ = folder.file("page", Array(file.text.utf8))
            let shown = try shell("bash", "groff -man -ww -z '\(folder.path)/page' 2>&1; echo status $?")
            #expect(shown == "status 0\n", "\(file.name)")
        }
    }

    @Test func manualPagesAreWrittenIntoADirectory() async throws {
        let folder = try TemporaryFolder()
        let result = try await Sample.run(words: ["man", "--directory", folder.path])
        #expect(result.code == .done)
        #expect(result.output == "")
        #expect(folder.text("sample-item-show.1").contains("sample item show one"))
        #expect(try await Sample.run(words: ["man", "--directory", folder.path + "/absent"]).code == .cannotWrite)
    }
}

private func isInstalled(_ tool: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/" + tool) }
}

private func shell(_ name: String, _ script: String) throws -> String {
    let folder = try TemporaryFolder()
    _ = folder.file("script", Array(script.utf8))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name, folder.path + "/script"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}
