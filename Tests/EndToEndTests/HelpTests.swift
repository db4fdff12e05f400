import Foundation
import Testing

@testable import CommandKit
@testable import linkstr

/// What is true of every command, now and later.
@Suite struct HelpTests {
    static let commands = Linkstr.application.leaves.map { $0.path.dropFirst().joined(separator: " ") }

    @Test(arguments: commands)
    func everyCommandHasHelpWithAnExample(command: String) throws {
        let help = try LinkstrProcess.run(command + " --help")
        #expect(help.code == 0)
        #expect(help.errorText == "")
        #expect(help.text.contains("Usage: linkstr " + command))
        #expect(help.text.contains("Example"))
        #expect(help.text.contains("\n  linkstr ") || help.text.contains("linkstr " + command))
    }

    @Test(arguments: Linkstr.application.leaves.flatMap { leaf in leaf.command.examples.map(\.line) })
    func everyExampleIsAValidCommandLine(example: String) throws {
        let invocations = commandLines(in: example)
        #expect(!invocations.isEmpty, "\(example)")
        for words in invocations {
            var parser = CommandParser(
                root: Linkstr.application.root,
                globals: Linkstr.application.globals,
                environment: { _ in nil }
            )
            do {
                _ = try parser.parse(words)
            } catch UsageError.invalidValue(_, let failure) where failure.exitCode == .badInput {
                // A key that is cut short, as in npub1...
                #expect(example.contains("..."), "\(example): \(failure.message)")
            }
        }
    }

    @Test func theHelpOfTheApplicationListsEveryCommand() throws {
        let help = try LinkstrProcess.run("--help")
        #expect(help.code == 0)
        for command in Linkstr.application.root.subcommands {
            #expect(help.text.contains("\n  " + command.name + " "))
            for one in command.subcommands { #expect(help.text.contains(one.name)) }
        }
        #expect(try LinkstrProcess.run("help").text == help.text)
    }

    @Test func theVersionIsPrinted() throws {
        #expect(try LinkstrProcess.run("--version").text == "linkstr \(Linkstr.version)\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionCoversEveryCommand(shell: String) throws {
        let script = try LinkstrProcess.run("completion " + shell)
        #expect(script.code == 0)
        for command in Self.commands { #expect(script.text.contains("linkstr " + command)) }
    }

    @Test func theManualCoversEveryCommandAndExitCode() throws {
        let manual = try LinkstrProcess.run("man")
        #expect(manual.code == 0)
        let plain = manual.text.replacingOccurrences(of: "\\-", with: "-")
        for command in Self.commands { #expect(plain.contains("linkstr " + command)) }
        for code in ExitCode.allCases { #expect(plain.contains("\n\(code.rawValue) ")) }
        let folder = try TemporaryFolder()
        #expect(try LinkstrProcess.run(["man", "--directory", folder.path]).code == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            Set(files) == Set(Self.commands.map { "linkstr-" + $0.replacing(" ", with: "-") + ".1" } + ["linkstr.1"])
        )
    }

    @Test(arguments: [
        ("", "linkstr needs a command"), ("kye generate", "did you mean key?"),
        ("key generat", "did you mean generate?"), ("verify", "did you mean linkstr event verify?"),
        ("event new --knid 1", "did you mean --kind?"), ("event new", "--kind is missing"),
        ("event new --kind 65536", "'65536' is not a whole number from 0 to 65535"),
        ("encode npub", "KEY is missing"), ("event id extra", "'extra' is one argument too many"),
        ("key words --count 13", "'13' is not one of 12, 24"), ("event sign", "a secret key is needed"),
        ("nip44 encrypt --to \(Published.npub) text", "a secret key is needed"),
        ("key public", "a secret key is needed"),
    ])
    func aWrongCommandLineExits64AndSaysWhy(line: String, message: String) throws {
        let result = try LinkstrProcess.run(line)
        #expect(result.code == 64)
        #expect(result.text == "")
        #expect(result.errorText.hasPrefix("linkstr: "))
        #expect(result.errorText.contains(message), "\(result.errorText)")
    }

    @Test(arguments: [
        "SECRET", "key SECRET", "key public x SECRET", "--SECRET", "-SECRET", "event new --kind SECRET",
        "event new --kind 1 --created-at SECRET", "event id SECRET", "key words --count SECRET", "completion SECRET",
        "--timeout SECRET event id", "encode nsec SECRET SECRET", "nip44 encrypt --sec SECRET --to SECRET",
        "key public @SECRET",
    ])
    func aSecretInTheWrongPlaceIsNotRepeated(line: String) throws {
        for secret in [Published.nsec, Published.secret, Published.ncryptsec] {
            let result = try LinkstrProcess.run(line.replacing("SECRET", with: secret))
            #expect(result.code != 0)
            #expect(result.text == "")
            let start = secret.firstIndex(of: "1").flatMap { secret.hasPrefix("n") ? secret.index(after: $0) : nil }
            #expect(
                !result.errorText.contains(secret[(start ?? secret.startIndex)...].prefix(3)),
                "\(result.errorText)"
            )
        }
    }

    @Test func anArgumentThatIsNotUTF8IsRefusedAndNotMended() throws {
        let line = #""$0" event new --kind 1 --sec "$1" --content "#
        #expect(try LinkstrProcess.shell(line + #"$'a\xc3\xa9b'"#, Published.secret).text.contains("aéb"))
        let result = try LinkstrProcess.shell(line + #"$'a\xffb'"#, Published.secret)
        #expect(result.code == 64)
        #expect(result.text == "")
        #expect(result.errorText == "linkstr: argument 8 is not UTF-8 text\n")
    }

    /// The calls of `linkstr` in a shell line, each as its words.
    private func commandLines(in line: String) -> [[String]] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        func finish() {
            if let word { words.append(word) }
            word = nil
        }
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if " ()|;<>&".contains(character) {
                finish()
                if character != " " { words.append(String(character)) }
            } else {
                word = (word ?? "") + String(character)
            }
        }
        finish()
        return words.split { "()|;<>&".contains($0) && $0.count == 1 }
            .filter { $0.first == "linkstr" }
            .map { Array($0.dropFirst()) }
    }
}
