import Foundation
import Testing

/// The settings of the device: everything goes through the proxy, and links are fetched where that is wanted.
@Suite("The network of a device", .timeLimit(.minutes(10)))
struct NetworkSettingsTests {
    private typealias Person = SharingTests.Person
    private static let page = """
        <html><head><title>A remarkable film</title>
        <meta property="og:description" content="Worth an evening"></head></html>
        """

    /// The port of a relay on this machine.
    private static func port(of relay: RelayProcess) throws -> UInt16 {
        try #require(relay.url.split(separator: ":").last.flatMap { UInt16($0) })
    }

    private static func proxy(to relay: RelayProcess) throws -> ProxyServer {
        try ProxyServer(["relay.example": .port(port(of: relay)), "film.example": .page(page, type: "text/html")])
    }

    @Test("goes through the proxy that was set, with and without a daemon, until it is taken out")
    func proxied() throws {
        let relay = try RelayProcess(["--in-memory"])
        let proxy = try Self.proxy(to: relay)
        let named = "ws://relay.example:\(try Self.port(of: relay))"
        let ann = try Person("Ann", relay: relay.url)
        _ = try ann.output("session", "new", "Films")
        #expect(proxy.asked.isEmpty)
        #expect(try ann.output("config", "set", "proxy", proxy.address) == "proxy = \(proxy.address)\n")
        ann.use([named])
        _ = try ann.output("post", "Films", "example.com/a")
        let alone = proxy.asked.count
        #expect(alone > 0)
        for line in [["relay", "info", named], ["relay", "test", named], ["doctor"]] {
            let before = proxy.asked.count
            #expect(try LinkstrProcess.run(["--home", ann.folder.path] + line).code == 0)
            #expect(proxy.asked.count > before, "\(line)")
        }
        let daemon = try DaemonProcess(home: ann.folder)
        let before = proxy.asked.count
        _ = try ann.output("post", "Films", "example.com/b")
        #expect(proxy.asked.count > 0)
        // A running daemon takes it up.
        ann.use([relay.url])
        #expect(try ann.output("config", "unset", "proxy").contains("(default)"))
        let after = proxy.asked.count
        #expect(after >= before)
        _ = try ann.output("post", "Films", "example.com/c")
        #expect(proxy.asked.count == after)
        ann.use([named])
        _ = try ann.output("config", "set", "proxy", "127.0.0.1:1")
        #expect(try ann.linkstr("--timeout", "1", "post", "Films", "example.com/d").code == 75)
        #expect(daemon.end() == 0)
        #expect(try ann.linkstr("--timeout", "1", "post", "Films", "example.com/d").code == 75)
        ann.use([relay.url])
        _ = try ann.output("config", "unset", "proxy")
        _ = try ann.output("post", "Films", "example.com/d")
    }

    @Test("does not go through the proxy to relays on this machine, with and without a daemon")
    func onThisMachine() throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try Person("Ann", relay: relay.url)
        // Nothing gets through that proxy.
        _ = try ann.output("config", "set", "proxy", "127.0.0.1:1")
        _ = try ann.output("session", "new", "Films")
        for words in [
            ["relay", "info", relay.url], ["relay", "test", relay.url], ["req", "--limit", "1", relay.url], ["doctor"],
        ] {
            let ending = try LinkstrProcess.run(["--home", ann.folder.path] + words)
            #expect(ending.code == 0, "\(words): \(ending.errorText)")
        }
        let daemon = try DaemonProcess(home: ann.folder)
        _ = try ann.output("post", "Films", "example.com/a")
        #expect(daemon.end() == 0)
    }

    @Test("shows what links are when that is wanted, in the feed and with the post, and asks again when told to")
    func metadata() throws {
        let relay = try RelayProcess(["--in-memory"])
        let proxy = try Self.proxy(to: relay)
        let (ann, ben) = (try Person("Ann", relay: relay.url), try Person("Ben", relay: relay.url))
        _ = try ann.output("config", "set", "proxy", proxy.address)
        _ = try ben.output("session", "new", "Films", "--member", ann.npub, "--yes", "--not-a-contact")
        let post = try ben.output("post", "Films", "http://film.example/a").prefix(64)
        _ = try ann.output("sync")
        #expect(try !ann.output("feed").contains("remarkable"))
        #expect(try ann.output("post", "show", String(post), "--json").contains(#""metadata":null"#))
        #expect(!proxy.asked.contains("film.example"))
        // Asked for once, and known from then on.
        let shown = try ann.output("post", "show", String(post), "--refresh")
        #expect(shown.contains("A remarkable film\n") && shown.contains("Worth an evening\n"))
        #expect(try ann.output("feed").contains("A remarkable film"))
        #expect(try ann.output("feed", "--json").contains(#""title":"A remarkable film"}"#))
        #expect(proxy.asked.count { $0 == "film.example" } == 1)
        _ = try ann.output("storage", "clear", "metadata")
        #expect(try !ann.output("feed").contains("remarkable"))
        // For what is new it is fetched by itself.
        _ = try ann.output("config", "set", "link_metadata", "true")
        let next = try ben.output("post", "Films", "http://film.example/b").prefix(64)
        _ = try ann.output("sync")
        #expect(
            try ann.output("post", "show", String(next), "--json").contains(#""metadata":{"title":"A remarkable film""#)
        )
        _ = try ben.output("post", "Films", "http://nowhere.example/")
        #expect(try ann.output("sync").contains("1 new post,"))
        let lost = try ann.linkstr("post", "show", String(post), "--refresh")
        #expect(lost.code == 0)
        _ = try ann.output("config", "unset", "proxy")
        let private_ = try ben.output("post", "Films", "http://127.0.0.1:1/").prefix(64)
        _ = try ann.output("sync")
        #expect(try ann.linkstr("post", "show", String(private_), "--refresh").code == 69)
        #expect(try ann.linkstr("post", "show", String(private_)).code == 0)
    }

    @Test("publishes the name of a new account where a relay is there, and says so where none is")
    func firstName() throws {
        let relay = try RelayProcess(["--in-memory"])
        let (ann, ben) = (try Person("Ann", relay: relay.url), try Person("Ben", relay: relay.url))
        #expect(try ben.output("profile", "show", ann.npub).contains("(Ann)"))
        let home = try DaemonProcess.home()
        let lonely = try LinkstrProcess.run(["--home", home.path, "account", "new", "--name", "Cleo"])
        #expect(lonely.code == 0 && lonely.text.contains("Cleo") && lonely.errorText.contains("profile set"))
        let silent = try SilentServer()
        _ = home.file("relays.json", #"{"relays":[{"url":"ws://127.0.0.1:\#(silent.port)","enabled":true}]}"#)
        let start = ContinuousClock.now
        let slow = try LinkstrProcess.run(["--home", home.path, "account", "new", "--name", "Dora"])
        #expect(slow.code == 0 && slow.errorText.contains("profile set"))
        #expect(ContinuousClock.now - start < .seconds(10))
        // Without a name there is nothing to publish, and nothing is waited for.
        let nameless = try LinkstrProcess.run(["--home", home.path, "account", "new"])
        #expect(nameless.code == 0 && nameless.errorText.isEmpty)
    }

    @Test("shows who came in and went out between the posts of a session")
    func comingAndGoing() throws {
        let relay = try RelayProcess(["--in-memory"])
        let (ann, ben) = (try Person("Ann", relay: relay.url), try Person("Ben", relay: relay.url))
        _ = try ann.output("contact", "add", ben.npub, "--alias", "Benny", "--first-list", "--yes")
        _ = try ann.output("session", "new", "Films")
        _ = try ann.output("post", "Films", "example.com/first")
        _ = try ann.output("session", "add", "Films", ben.npub, "--yes")
        _ = try ann.output("session", "remove", "Films", ben.npub, "--yes")
        let feed = try ann.output("feed", "Films").split(separator: "\n").map(String.init)
        #expect(feed.count == 3)
        #expect(feed.first?.contains("example.com/first") == true)
        #expect(feed.dropFirst().first?.contains("Benny came in  20") == true)
        #expect(feed.last?.contains("Benny went out  20") == true)
        #expect(try !ann.output("feed").contains("came in"))
        #expect(try !ann.output("feed", "Films", "--json").contains("came in"))
    }
}
