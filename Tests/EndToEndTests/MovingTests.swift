import Foundation
import Testing

/// How accounts come and go.
@Suite("An account", .timeLimit(.minutes(10)))
struct MovingTests {
    private typealias Person = SharingTests.Person
    private let relay: RelayProcess

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    @Test("moves to another machine in a file that its passphrase alone opens")
    func export() throws {
        let ann = try Person("Ann", relay: relay.url)
        _ = try ann.output("session", "new", "Films")
        _ = try ann.output("post", "Films", "example.com/a", "--note", "worth a look")
        let passphrase = ann.folder.file("passphrase", "correct horse")
        let wrong = ann.folder.file("wrong", "battery staple")
        let file = ann.folder.path + "/ann.linkstr"
        _ = try ann.output("export", file, "--with-secret", "--export-passphrase-file", passphrase)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.range(of: Data("example.com".utf8)) == nil)
        let other = try TemporaryFolder()
        func there(_ arguments: String...) throws -> RunningProcess.Ending {
            try LinkstrProcess.run(["--home", other.path] + arguments)
        }
        #expect(try there("import", file, "--export-passphrase-file", wrong).code != 0)
        #expect(try there("account", "list").output.isEmpty)
        #expect(try there("import", file, "--export-passphrase-file", passphrase).code == 0)
        #expect(try there("account", "list").text.contains(ann.npub))
        let feed = try there("feed", "Films").text
        #expect(feed.contains("example.com/a") && feed.contains("worth a look"))
        #expect(try there("import", other.path + "/none").code == 74)
    }

    @Test("without its secret key in the file needs the key first")
    func exportWithoutSecret() throws {
        let ann = try Person("Ann", relay: relay.url)
        let passphrase = ann.folder.file("passphrase", "correct horse")
        let file = ann.folder.path + "/ann.linkstr"
        _ = try ann.output("export", file, "--export-passphrase-file", passphrase)
        let other = try TemporaryFolder()
        let refused = try LinkstrProcess.run(
            ["--home", other.path, "import", file, "--export-passphrase-file", passphrase]
        )
        #expect(refused.code == 66 && refused.errorText.contains("account import"))
    }

    @Test("is deleted only when it is named, and relays have accepted it before it goes here")
    func deletion() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
        #expect(try ann.linkstr("account", "delete").code == 77)
        #expect(try ann.linkstr("account", "delete", "--confirm", ben.npub).code == 77)
        _ = try ann.output("relay", "disable", relay.url)
        #expect(try ann.linkstr("account", "delete", "--confirm", ann.npub).code == 69)
        #expect(try ann.output("account", "list").contains(ann.npub))
        _ = try ann.output("relay", "enable", relay.url)
        let gone = try ann.linkstr("account", "delete", "--confirm", ann.npub)
        #expect(gone.code == 0 && gone.errorText.contains("can be used again"))
        #expect(try ann.linkstr("account", "list").output.isEmpty)
        let lists = try LinkstrProcess.run(["req", "--kind", "3", "--author", ann.npub, relay.url])
        #expect(lists.output.isEmpty)
    }

    @Test("whose database is damaged is told so, left as it is, and goes on in memory where that is asked for")
    func damage() throws {
        let ann = try Person("Ann", relay: relay.url)
        _ = try ann.output("session", "new", "Films")
        let accounts = ann.folder.path + "/accounts"
        let account = try #require(try FileManager.default.contentsOfDirectory(atPath: accounts).first)
        let database = URL(fileURLWithPath: accounts + "/" + account + "/account.db")
        let rubbish = Data(repeating: 7, count: 10_000)
        try rubbish.write(to: database)
        let refused = try ann.linkstr("feed")
        #expect(refused.code == 74 && refused.errorText.contains("account.db"))
        let ill = try ann.linkstr("doctor", "--offline")
        #expect(ill.code == 1 && ill.text.contains("--temporary"))
        _ = try ann.output("--temporary", "sync")
        #expect(try ann.linkstr("--temporary", "session", "list").code == 0)
        #expect(try Data(contentsOf: database) == rubbish)
    }

    @Test("has no relay of its own that it could share without a daemon")
    func sharedRelay() throws {
        let ann = try Person("Ann", relay: relay.url)
        let refused = try ann.linkstr("relay", "add", "--shared", relay.url)
        #expect(refused.code == 64 || refused.code == 65)
        #expect(try ann.output("relay", "list", "--json").contains(#""embedded":false,"shared":false"#))
    }
}
