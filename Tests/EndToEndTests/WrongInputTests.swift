import Foundation
import Testing

@testable import CommandKit
@testable import linkstr

/// Whatever is typed wrong, a sentence says what is wrong and what to do. The tables have an entry for every command.
@Suite("Wrong input", .timeLimit(.minutes(10)))
struct WrongInputTests {
    /// What is typed after the command, what it reads, how it ends, and what the sentence holds.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let command: String
        let rest: [String]
        let input: String
        let code: Int32
        let sentence: String

        init(_ command: String, _ rest: String, input: String = "", _ code: Int32, _ sentence: String) {
            self.command = command
            self.rest = rest.split(separator: " ").map(String.init)
            self.input = input
            self.code = code
            self.sentence = sentence
        }

        var testDescription: String { "\(command) \(rest.joined(separator: " "))" }
    }

    static let ofAccounts = [
        Mistake("account new", "--name", 64, "--name needs a value"),
        Mistake("account import", "", input: "nsec1xyz", 65, "nsec"),
        Mistake("account import", Published.nsec, 64, "--unsafe-argument"),
        Mistake("account list", "Ann", 64, "one argument too many"),
        Mistake("account use", "Nobody", 66, "account list"),
        Mistake("account show", "Ann", 64, "one argument too many"),
        Mistake("account export", "", 77, "--yes"),
        Mistake("account lock", "", 64, "--passphrase-file"),
        Mistake("account unlock", "", 69, "no daemon runs"),
        Mistake("account logout", "", 77, "--yes"),
        Mistake("account delete", "", 77, "--confirm npub1"),
        Mistake("account delete", "--confirm npub1xyz", 65, "npub"),
        Mistake("qr", "--png", 64, "--png needs a value"),
        Mistake("export", "", 64, "FILE is missing"),
        Mistake("export", "file", 64, "--passphrase-file"),
        Mistake("import", "/nowhere/at/all", 74, "/nowhere/at/all"),
        Mistake("relay list", "x", 64, "one argument too many"),
        Mistake("relay add", "relay.example.com", 64, "wss://"),
        Mistake("relay remove", "wss://relay.example.com", 66, "relay list"),
        Mistake("relay enable", "wss://relay.example.com", 66, "relay list"),
        Mistake("relay disable", "wss://relay.example.com", 66, "relay list"),
        Mistake("relay reset", "x", 64, "one argument too many"),
    ]

    static let ofSessions = [
        Mistake("session new", "", 64, "NAME is missing"),
        Mistake("session new", "Films", 69, "relay add"),
        Mistake("session list", "--archive", 64, "did you mean --archived?"),
        Mistake("session show", "Films", 66, "session list"),
        Mistake("session members", "Films", 66, "session list"),
        Mistake("session add", "Films", 64, "KEY is missing"),
        Mistake("session remove", "Films me", 66, "npub"),
        Mistake("session rename", "Films", 64, "NAME is missing"),
        Mistake("session archive", "Films", 66, "session list"),
        Mistake("session unarchive", "Films", 66, "session list"),
        Mistake("session delete", "", 64, "SESSION is missing"),
        Mistake("session requests", "--declines", 64, "did you mean --declined?"),
        Mistake("session accept", "Films", 66, "session list"),
        Mistake("session decline", "Films", 66, "session list"),
        Mistake("session block", "Films \(Published.nsec)", 65, "npub"),
        Mistake("session creator", "Films \(Published.npub)", 66, "session list"),
        Mistake("post", "Films mailto:a@b", 69, "relay add"),
        Mistake("post show", "ffff", 66, "feed"),
        Mistake("post open", "xyz", 66, "feed"),
        Mistake("post open", String(repeating: "0a", count: 32), 66, #"no post "0a0a0a0a…": `linkstr feed`"#),
        Mistake("post show", Published.nsec, 66, #"no post "…""#),
        Mistake("feed", String(repeating: "0a", count: 32), 66, #"no session "…""#),
        Mistake("post delete", "", 64, "POST is missing"),
        Mistake("feed", "--limit 0", 64, "a whole number from 1 to 100000"),
        Mistake("feed", "Films", 66, "session list"),
        Mistake("react", "ffff", 64, "EMOJI is missing"),
        Mistake("read", "Films", 66, "feed"),
        Mistake("share-url", "--save --note x example.com", 64, "give one of them"),
        Mistake("open-url", "https://example.com", 65, "linkstr:"),
        Mistake("sync", "", 69, "relay add"),
        Mistake("sync", "--all", 64, "--all"),
        Mistake("watch", "Films", 66, "session list"),
    ]

    static let ofPeopleAndSettings = [
        Mistake("contact list", "--find x", 64, "--find"),
        Mistake("contact add", "Ben --yes", 66, "contact list"),
        Mistake("contact add", Published.npub, 77, "--yes"),
        Mistake("contact remove", "npub1xyz --yes", 65, "npub"),
        Mistake("contact alias", "Ben Benny", 66, "contact list"),
        Mistake("contact history", "1", 64, "one argument too many"),
        Mistake("contact undo", "0", 64, "a whole number from 1 to 1000"),
        Mistake("contact discover", "", 69, "relay add"),
        Mistake("chat", "Ben hello", 66, "contact list"),
        Mistake("chat list", "--request", 64, "did you mean --requests?"),
        Mistake("chat accept", Published.npub, 66, "chat list"),
        Mistake("chat relays", "relay.example.com", 64, "wss://"),
        Mistake("profile show", "Ben", 66, "contact list"),
        Mistake("profile set", "--name \(String(repeating: "x", count: 81))", 65, "80"),
        Mistake("status", "x", 64, "one argument too many"),
        Mistake("doctor", "--online", 64, "did you mean --offline?"),
        Mistake("config list", "x", 64, "one argument too many"),
        Mistake("config get", "metadata", 64, "there are: requests_by_strangers"),
        Mistake("config set", "link_metadata perhaps", 65, "true or false"),
        Mistake("config set", "proxy 9050", 65, "127.0.0.1:9050"),
        Mistake("config set", "extra_ca /nowhere/ca.pem", 65, "/nowhere/ca.pem"),
        Mistake("config unset", "metadata", 64, "there are: requests_by_strangers"),
        Mistake("backup status", "x", 64, "one argument too many"),
        Mistake("backup push", "", 69, "relay add"),
        Mistake("backup pull", "", 69, "relay add"),
        Mistake("push register", "ffffffff", 64, "--unsafe-argument"),
        Mistake("push unregister", "", 64, "--all"),
        Mistake("push status", "x", 64, "one argument too many"),
        Mistake("push test", "", 78, "push_service"),
        Mistake("storage show", "x", 64, "one argument too many"),
        Mistake("storage clear", "posts", 64, "'posts' is not one of metadata"),
    ]

    static let ofPlumbing = [
        Mistake("key generate", "x", 64, "one argument too many"),
        Mistake("key public", "nsec1xyz", 65, "nsec"),
        Mistake("key encrypt", Published.nsec, 64, "--passphrase-file"),
        Mistake("key decrypt", Published.nsec, 65, "ncryptsec"),
        Mistake("key words", "--count 13", 64, "12, 24"),
        Mistake("key from-words", "one two three", 65, "words"),
        Mistake("encode npub", "xyz", 65, "npub"),
        Mistake("encode nsec", "xyz", 65, "nsec"),
        Mistake("encode note", "xyz", 65, "hexadecimal"),
        Mistake("encode nprofile", "xyz", 65, "npub"),
        Mistake("encode nevent", "xyz", 65, "hexadecimal"),
        Mistake("encode naddr", "--kind 1 --author xyz", 65, "npub"),
        Mistake("decode", "npub1xyz", 65, "too short"),
        Mistake("event new", "--kind 99999", 64, "from 0 to 65535"),
        Mistake("event verify", "", input: "{", 65, "1 event is not valid"),
        Mistake("event id", "", input: "{", 65, "line 1"),
        Mistake("event sign", "", input: "{}", 64, "LINKSTR_SECRET"),
        Mistake("nip44 encrypt", "--to xyz --sec \(Published.secret) x", 65, "npub"),
        Mistake("nip44 decrypt", "--from \(Published.npub) --sec \(Published.secret)", input: "xyz", 65, "payload"),
        Mistake("wrap", "--to \(Published.npub) --sec \(Published.secret)", input: "{", 65, "line 1"),
        Mistake("unwrap", "--sec \(Published.secret)", input: "{}", 65, "line 1"),
        Mistake("chat-decode", "", input: "{}", 65, "line 1"),
        Mistake("follow-list decode", "", input: "{}", 65, "line 1"),
        Mistake("follow-list diff", "", input: "{}", 65, "line 1"),
        Mistake("follow-list merge", "", input: "{}", 65, "line 1"),
        Mistake("prefs encode", "--sec \(Published.secret)", input: "{}", 65, "line 1"),
        Mistake("prefs decode", "--sec \(Published.secret)", input: "{}", 65, "line 1"),
        Mistake("req", "relay.example.com", 64, "wss://"),
        Mistake("publish", "ws://127.0.0.1:1", input: "{", 65, "line 1"),
        Mistake("count", "ws://127.0.0.1:1", 69, "127.0.0.1:1"),
        Mistake("url classify", "mailto:a@b", 65, "http"),
        Mistake("url metadata", "http://127.0.0.1:1/", 77, "--allow-private"),
        Mistake("reconcile", "relay.example.com events.db", 64, "wss://"),
        Mistake("store import", "/nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Mistake("store export", "/nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Mistake("store stats", "/nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Mistake("store check", "/nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Mistake("relay info", "relay.example.com", 64, "wss://"),
        Mistake("relay test", "ws://127.0.0.1:1", 69, "Nobody answers"),
        Mistake("relay serve", "--listen here", 64, "127.0.0.1:7447"),
        Mistake("session replay", "--owner me", 65, "npub"),
        Mistake("completion", "tcsh", 64, "bash, zsh, fish"),
        Mistake("man", "--directory", 64, "--directory needs a value"),
    ]

    static let all = ofAccounts + ofSessions + ofPeopleAndSettings + ofPlumbing

    /// A home with an account and without relays.
    private static func home() throws -> TemporaryFolder {
        let home = try DaemonProcess.home()
        let made = try LinkstrProcess.run(["--home", home.path, "account", "import"], input: Published.wordsSecret)
        #expect(made.code == 0)
        return home
    }

    @Test("is tried with every command")
    func table() {
        CommandTree.expectEach(Set(CommandTree.commands.keys), in: Self.all.map(\.command))
    }

    @Test("ends with a sentence that says what to do, and prints nothing else")
    func mistakes() async throws {
        let home = try Self.home()
        for mistake in Self.all {
            // The threads are few, and a process that runs holds one.
            await Task.yield()
            let ending = try LinkstrProcess.run(
                ["--home", home.path] + mistake.command.split(separator: " ").map(String.init) + mistake.rest,
                input: mistake.input
            )
            let what = "\(mistake.testDescription): \(ending.code) \(ending.errorText)\(ending.text)"
            #expect(ending.code == mistake.code, "\(what)")
            #expect(ending.errorText.contains(mistake.sentence), "\(what)")
            #expect(ending.errorText.hasPrefix("linkstr: "), "\(what)")
        }
    }

    @Test("of an option that no command has is refused with the way to the help")
    func unknownOptions() async throws {
        for command in CommandTree.commands.keys.sorted() {
            await Task.yield()
            let ending = try LinkstrProcess.run(command + " --unheard-of")
            #expect(ending.code == 64 && ending.text.isEmpty, "\(command)")
            #expect(ending.errorText.contains("--unheard-of"), "\(command): \(ending.errorText)")
            #expect(ending.errorText.contains("linkstr \(command) --help"), "\(command): \(ending.errorText)")
        }
    }
}
