import Foundation
import NostrEvents
import Testing

/// People who share links with the real binary through a real relay on this machine.
@Suite("Sharing a link", .timeLimit(.minutes(10)))
struct SharingTests {
    /// Somebody with a home of their own, whose only relays are the given ones.
    struct Person {
        let folder: TemporaryFolder
        let npub: String

        init(_ name: String, relay: String, takesStrangersIn: Bool = true) throws {
            try self.init(name, relays: [relay], takesStrangersIn: takesStrangersIn)
        }

        init(_ name: String, relays: [String], takesStrangersIn: Bool = true) throws {
            try self.init(relays, ["new", "--name", name], takesStrangersIn)
        }

        private init(_ relays: [String], _ account: [String], _ takesStrangersIn: Bool, input: String = "") throws {
            folder = try TemporaryFolder()
            chmod(folder.path, 0o700)
            // Before the account is made, whose name is published where a relay is there.
            _ = folder.file("relays.json", Self.list(relays))
            let made = try LinkstrProcess.run(["--home", folder.path, "account"] + account, input: input)
            #expect(made.code == 0)
            npub = String(made.text.prefix { !$0.isWhitespace })
            if takesStrangersIn { _ = try output("config", "set", "requests_by_strangers", "false") }
        }

        /// Another device of the same person, which knows the secret key and relays and nothing else.
        func freshDevice(relays: [String]) throws -> Person {
            try Person(relays, ["import"], true, input: try output("account", "export", "--yes"))
        }

        /// Has these relays and no others from now on.
        func use(_ relays: [String]) {
            _ = folder.file("relays.json", Self.list(relays))
        }

        private static func list(_ relays: [String]) -> String {
            let list = relays.map { #"{"url":"\#($0)","enabled":true}"# }.joined(separator: ",")
            return #"{"relays":[\#(list)]}"#
        }

        /// The public key as hexadecimal digits.
        var key: String { get throws { try output("account", "show", "--json").field("pubkey") ?? "" } }

        /// How many gift wraps for this person a relay has.
        func wraps(on relay: String) throws -> Int {
            try LinkstrProcess.run(["req", "--kind", "1059", "--tag", "p=\(key)", relay]).lines.count
        }

        func linkstr(_ arguments: String...) throws -> RunningProcess.Ending { try run(arguments) }

        func run(_ arguments: [String]) throws -> RunningProcess.Ending {
            try LinkstrProcess.run(["--home", folder.path] + arguments)
        }

        func output(_ arguments: String...) throws -> String {
            let ending = try run(arguments)
            #expect(ending.code == 0, "\(arguments.joined(separator: " ")): \(ending.errorText)")
            return ending.text
        }
    }

    /// A relay of the test's own.
    private let relay: RelayProcess

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    @Test("works from two new accounts to a reaction that the first one sees")
    func demonstration() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url, takesStrangersIn: false)
        let id = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact").trimmed
        #expect(id.count == 32)
        let post = try ann.output("post", "Films", "example.com/a", "--note", "worth a look").trimmed
        #expect(try ben.output("sync") == "2 messages, 1 new post, 1 new session\n")
        // Ann is no contact of Ben's, so her session waits for his word.
        #expect(try ben.output("feed", "--json").isEmpty)
        _ = try ben.output("session", "accept", "Films")
        let feed = try ben.output("feed", "--json")
        #expect(feed.contains(post) && feed.contains("https://example.com/a") && feed.contains("worth a look"))
        _ = try ben.output("react", String(post.prefix(8)), "👍")
        _ = try ann.output("sync")
        #expect(try ann.output("feed", "Films").contains("👍 1"))
        #expect(try ann.output("session", "show", "Films").contains(ben.npub))
    }

    @Test("keeps to its members: a removed one gets nothing new, a late one nothing older")
    func membership() throws {
        let (ann, ben, cleo) = (
            try Person("Ann", relay: relay.url), try Person("Ben", relay: relay.url),
            try Person("Cleo", relay: relay.url)
        )
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        _ = try ann.output("post", "Films", "example.com/first")
        _ = try ann.output("session", "remove", "Films", ben.npub, "--yes")
        _ = try ann.output("session", "add", "Films", cleo.npub, "--yes", "--not-a-contact")
        _ = try ann.output("post", "Films", "example.com/second")
        for person in [ben, cleo] {
            _ = try person.output("sync")
            _ = try person.output("session", "accept", "Films")
        }
        let bens = try ben.output("feed")
        #expect(bens.contains("example.com/first") && !bens.contains("example.com/second"))
        let cleos = try cleo.output("feed")
        #expect(!cleos.contains("example.com/first") && cleos.contains("example.com/second"))
        let refused = try ben.linkstr("post", "Films", "example.com/third")
        #expect(refused.code == 77 && refused.output.isEmpty)
        #expect(try ben.output("session", "list").contains("read-only"))
        let foreign = try cleo.linkstr("session", "rename", "Films", "Mine", "--yes")
        #expect(foreign.code == 77)
    }

    @Test("makes no copy for somebody who was removed while this device slept")
    func sleepingDevice() throws {
        let (ann, ben, cleo) = (
            try Person("Ann", relay: relay.url), try Person("Ben", relay: relay.url),
            try Person("Cleo", relay: relay.url)
        )
        let members = ["--member", ben.npub, "--member", cleo.npub, "--yes", "--not-a-contact"]
        #expect(try ann.run(["session", "new", "Films"] + members).code == 0)
        _ = try cleo.output("sync")
        let before = try ben.wraps(on: relay.url)
        _ = try cleo.output("post", "Films", "example.com/control")
        #expect(try ben.wraps(on: relay.url) == before + 1)
        _ = try ann.output("session", "remove", "Films", ben.npub, "--yes")
        let told = try ben.wraps(on: relay.url)
        // Cleo's home has heard nothing of it.
        _ = try cleo.output("post", "Films", "example.com/afterwards")
        #expect(try ben.wraps(on: relay.url) == told)
        _ = try ann.output("sync")
        #expect(try ann.output("feed").contains("example.com/afterwards"))
    }

    @Test("asks before it tells others, and does nothing without a yes")
    func asking() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url, takesStrangersIn: false)
        let refused = try ann.linkstr("session", "new", "Films", "--member", ben.npub)
        #expect(refused.code == 77 && refused.errorText.contains("--yes"))
        #expect(try ann.output("session", "list").isEmpty)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        #expect(try ann.linkstr("session", "delete", "Films").code == 77)
        _ = try ben.output("sync")
        #expect(try ben.output("session", "requests").contains("Films"))
        _ = try ann.output("session", "delete", "Films", "--yes")
        _ = try ben.output("sync")
        #expect(try ben.output("session", "requests").isEmpty)
    }

    @Test("says what is wrong: no account, no relay, no such session or post, a busy home")
    func errors() throws {
        let empty = try TemporaryFolder()
        #expect(try LinkstrProcess.run(["--home", empty.path, "feed"]).code == 66)
        let ann = try Person("Ann", relay: relay.url)
        #expect(try ann.linkstr("post", "Nowhere", "example.com").code == 66)
        #expect(try ann.linkstr("react", "abcdef", "👍").code == 66)
        _ = try ann.output("session", "new", "Films")
        #expect(try ann.linkstr("post", "Films", "mailto:a@b").code == 65)
        #expect(try ann.linkstr("relay", "add", "relay.example.com").code == 64)
        #expect(try ann.linkstr("relay", "add", relay.url).code == 65)
        _ = try ann.output("relay", "disable", relay.url)
        let offline = try ann.linkstr("post", "Films", "example.com")
        #expect(offline.code == 69 && offline.output.isEmpty && offline.errorText.contains("relay add"))
    }

    @Test("leaves no secret in what it prints or in files that others can read")
    func secrets() throws {
        let ann = try Person("Ann", relay: relay.url)
        let nsec = try ann.output("account", "export", "--yes").trimmed
        #expect(nsec.hasPrefix("nsec1"))
        _ = try ann.output("session", "new", "Films")
        for arguments in [
            ["account", "show", "--json"], ["account", "list"], ["sync", "--verbose"], ["feed", "--json"],
        ] {
            let ending = try LinkstrProcess.run(["--home", ann.folder.path] + arguments)
            #expect(!(ending.text + ending.errorText).contains(nsec.dropFirst(5)))
        }
        let files = try #require(FileManager.default.enumerator(atPath: ann.folder.path)?.allObjects as? [String])
        for file in files where file.hasPrefix("accounts") {
            let attributes = try FileManager.default.attributesOfItem(atPath: ann.folder.path + "/" + file)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
            #expect(mode & 0o077 == 0, "\(file) has the mode \(String(mode, radix: 8))")
        }
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }

    /// A text in an object of JSON.
    func field(_ name: String) throws -> String? { try JSONValue(json: Array(utf8))[name]?.string }
}
