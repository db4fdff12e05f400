import Foundation
import Testing

@testable import CommandKit
@testable import linkstr

/// Commands that ask before they do what reaches others or cannot be taken back: a yes on the terminal or `--yes` does it, anything else
/// does nothing and sends nothing.
@Suite("A command that asks", .timeLimit(.minutes(10)))
struct AskingTests {
    private typealias Person = SharingTests.Person

    /// Two lines that do the same: one after a yes on the terminal, one with `--yes`.
    private struct Question {
        let command: String
        let asked: String
        let told: String
        /// Whether a yes sends something.
        var sends = true

        init(_ command: String, _ asked: String, _ told: String, sends: Bool = true) {
            self.command = command
            self.asked = asked
            self.told = told
            self.sends = sends
        }
    }

    /// In an order in which each finds what it works on.
    private static let questions = [
        Question("session new", "One --member BEN", "Two --member BEN"),
        Question("session add", "Films ZOE --not-a-contact", "Films CLEO --not-a-contact"),
        Question("session remove", "Films ZOE", "Films CLEO"),
        Question("session rename", "Films Movies", "Movies Films"),
        Question("session delete", "One", "Two"),
        Question("post delete", "FIRST", "SECOND"),
        Question("contact add", "ZOE", "CLEO"),
        Question("contact remove", "ZOE --allow-shrink", "CLEO --allow-shrink"),
        Question("contact undo", "1 --allow-shrink", "1 --allow-shrink"),
        Question("account export", "", "", sends: false),
        Question("account logout", "", "", sends: false),
    ]

    /// Somebody with a session, two posts and a contact, a relay, and what stands for keys and posts in the lines.
    private final class World {
        let relay: RelayProcess
        let ann: Person
        let ben: Person
        var words: [String: String]

        init() throws {
            relay = try RelayProcess(["--in-memory"])
            ann = try Person("Ann", relay: relay.url)
            ben = try Person("Ben", relay: relay.url)
            _ = try ann.output("sync")
            _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
            _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes")
            words = ["BEN": ben.npub, "ZOE": Published.npub, "CLEO": Published.profileKey]
            for name in ["FIRST", "SECOND"] {
                let post = try ann.output("post", "Films", "example.com/" + name)
                words[name] = String(post.prefix(64))
            }
        }

        /// The events that the relay holds: a refusal adds none.
        func stored() throws -> Set<String> {
            let ending = try LinkstrProcess.run(["req", "--limit", "5000", relay.url])
            #expect(ending.code == 0, "\(ending.errorText)")
            return Set(ending.lines)
        }

        func run(
            _ command: String,
            _ rest: String,
            _ options: [String] = [],
            answers: [(prompt: String, answer: String)]? = nil
        ) throws -> RunningProcess.Ending {
            var plan = RunningProcess.Plan()
            plan.usesTerminal = answers != nil
            plan.answers = answers ?? []
            let line = (command + " " + rest).split(separator: " ").map { words[String($0)] ?? String($0) }
            return try LinkstrProcess.run(["--home", ann.folder.path] + line + options, plan: plan)
        }
    }

    @Test("is each one that takes --yes")
    func table() {
        let asking = CommandTree.commands.filter { command in
            command.value.parameters.contains { $0.name == Confirmation.yes.declaration.name }
        }
        CommandTree.expectEach(Set(asking.keys), in: Self.questions.map(\.command))
    }

    @Test("does it after a yes or with --yes, and otherwise nothing")
    func confirmation() async throws {
        let world = try World()
        let nsec = try world.ann.output("account", "export", "--yes").trimmingCharacters(in: .whitespacesAndNewlines)
        for question in Self.questions {
            await Task.yield()
            let before = try world.stored()
            let silent = try world.run(question.command, question.asked)
            #expect(silent.code == 77 && silent.output.isEmpty, "\(question.command): \(silent.errorText)")
            #expect(silent.errorText.contains("--yes"), "\(question.command): \(silent.errorText)")
            for answer in ["n", "", "perhaps"] {
                let refused = try world.run(question.command, question.asked, answers: [("[y/N] ", answer)])
                #expect(refused.code == 77, "\(question.command): \(refused.text)")
                #expect(refused.text.contains("nothing was done"), "\(question.command): \(refused.text)")
                #expect(!refused.text.contains(nsec))
            }
            #expect(try world.stored() == before, "\(question.command) sent something")
            let done = try world.run(question.command, question.asked, answers: [("[y/N] ", "y")])
            #expect(done.code == 0, "\(question.command): \(done.text)")
            let between = try world.stored()
            #expect(question.sends == (between != before), "\(question.command)")
            if question.command == "account logout" {
                #expect(try world.ann.output("account", "list").isEmpty)
                let back = try LinkstrProcess.run(["--home", world.ann.folder.path, "account", "import"], input: nsec)
                #expect(back.code == 0)
            }
            let told = try world.run(question.command, question.told, ["--yes"])
            #expect(told.code == 0, "\(question.command): \(told.errorText)")
            #expect(question.sends == (try world.stored() != between), "\(question.command)")
        }
    }

    @Test("about a key that is no contact wants a word of its own")
    func strangers() async throws {
        let world = try World()
        let before = try world.stored()
        let line = "One --member ZOE"
        #expect(try world.run("session new", line, ["--yes"]).code == 77)
        let refused = try world.run("session new", line, answers: [("[y/N] ", "y"), ("Let them in? [y/N] ", "n")])
        #expect(refused.code == 77, "\(refused.text)")
        await Task.yield()
        #expect(try world.stored() == before)
        let done = try world.run("session new", line, answers: [("[y/N] ", "y"), ("Let them in? [y/N] ", "y")])
        #expect(done.code == 0, "\(done.text)")
        #expect(try world.stored() != before)
    }

    @Test("for a session asks where to share a link, and does nothing without an answer")
    func sharing() throws {
        let world = try World()
        let before = try world.stored()
        let link = "linkstr://share?url=example.com%2Fshared"
        #expect(try world.run("open-url", link).code == 77)
        #expect(try world.run("open-url", link, answers: [("to be shared? ", "")]).code == 77)
        #expect(try world.stored() == before)
        let done = try world.run("open-url", link, answers: [("to be shared? ", "Films")])
        #expect(done.code == 0, "\(done.text)")
        #expect(try world.stored() != before)
    }

    @Test("to delete an account wants a yes and the account's name, or --confirm")
    func deletion() async throws {
        let world = try World()
        let npub = world.ann.npub
        let before = try world.stored()
        #expect(try world.run("account delete", "").code == 77)
        for answers in [[("[y/N] ", "n")], [("[y/N] ", "y"), ("to confirm: ", world.ben.npub)]] {
            #expect(try world.run("account delete", "", answers: answers).code == 77)
        }
        #expect(try world.run("account delete", "", ["--confirm", world.ben.npub]).code == 77)
        await Task.yield()
        #expect(try world.stored() == before)
        #expect(try world.ann.output("account", "list").contains(npub))
        let done = try world.run("account delete", "", answers: [("[y/N] ", "y"), ("to confirm: ", npub)])
        #expect(done.code == 0, "\(done.text)")
        #expect(try world.ann.output("account", "list").isEmpty)
        let told = try LinkstrProcess.run([
            "--home", world.ben.folder.path, "account", "delete", "--confirm", world.ben.npub,
        ])
        #expect(told.code == 0, "\(told.errorText)")
    }

    @Test("after a failed sending tries again for as long as the answer is yes")
    func tryingAgain() throws {
        let world = try World()
        let refusing = try RelayProcess(["--in-memory", "--kind", "1"])
        _ = try world.ann.output("relay", "add", refusing.url)
        _ = try world.ann.output("relay", "disable", world.relay.url)
        let given = try world.run("post", "Films example.com/a", answers: [("[Y/n] ", "y"), ("[Y/n] ", "n")])
        #expect(given.code == 69, "\(given.text)")
        #expect(given.text.components(separatedBy: "Try again?").count == 3)
        #expect(try world.run("post", "Films example.com/a").code == 69)
    }
}
