import Testing

@testable import CommandKit
@testable import linkstr

/// Every command of `linkstr`, for tests that hold a table with an entry for each: a command without an entry fails them.
enum CommandTree {
    /// The commands by what is typed, like `session new`.
    static let commands: [String: Command] = Dictionary(
        uniqueKeysWithValues: Linkstr.application.leaves.map {
            ($0.path.dropFirst().joined(separator: " "), $0.command)
        }
    )

    /// The commands that work on a home or an account.
    static var porcelain: Set<String> {
        Set(commands.keys).subtracting(plumbing)
    }

    /// The commands that know no home, so that no daemon can do their work: those of the section that says so, and four that stand
    /// among the others because people look for them there.
    static var plumbing: Set<String> {
        let sections = Linkstr.application.root.subcommands.filter {
            $0.section.hasPrefix("Plumbing") || $0.section == "Help"
        }
        let names = Set(sections.map(\.name))
        let all = commands.keys.filter { names.contains($0.split(separator: " ").first.map(String.init) ?? "") }
        return Set(all).union(["relay info", "relay test", "relay serve", "session replay"])
    }

    /// The command that a line calls.
    static func command(of words: [String]) -> String? {
        (1...2).reversed().lazy.map { words.prefix($0).joined(separator: " ") }.first { commands[$0] != nil }
    }

    /// Compares the commands of a table with those that there are.
    static func expectEach(_ wanted: Set<String>, in table: some Sequence<String>) {
        let named = Set(table)
        #expect(wanted.subtracting(named).sorted() == [], "commands without an entry")
        #expect(named.subtracting(wanted).sorted() == [], "entries of no command")
    }
}
