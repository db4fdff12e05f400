import Foundation
import LinkstrClient
import NostrCrypto
import NostrEvents
import Testing

@testable import linkstr

/// Somebody is meant by what the account calls them, wherever a key is typed.
@Suite("An alias", .timeLimit(.minutes(3)))
struct AliasTests {
    private typealias Person = SharingTests.Person
    private let relay: RelayProcess

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    @Test("stands for the key in every command of an account that takes one")
    func commands() async throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("contact", "alias", ben.npub, "Big Ben")
        _ = try ann.output("contact", "add", "Big Ben", "--first-list", "--yes")
        #expect(try ann.output("contact", "list").contains("\(ben.npub)  Big Ben"))
        #expect(try ann.output("profile", "show", "Big Ben").contains(ben.npub))
        #expect(try ann.output("qr", "Big Ben").contains(ben.npub))
        await Task.yield()
        _ = try ann.output("session", "new", "Films", "--member", "Big Ben", "--yes")
        #expect(try ann.output("session", "members", "Films").contains(ben.npub))
        _ = try ann.output("session", "remove", "Films", "Big Ben", "--yes")
        #expect(try !ann.output("session", "members", "Films").contains(ben.npub))
        _ = try ann.output("session", "add", "Films", "Big Ben", "--yes")
        #expect(try ann.output("session", "members", "Films").contains(ben.npub))
        _ = try ann.output("session", "block", "Films", "Big Ben")
        await Task.yield()
        _ = try ann.output("chat", "relays", relay.url)
        _ = try ben.output("chat", "relays", relay.url)
        _ = try ann.output("chat", "Big Ben", "hello")
        #expect(try ann.output("chat", "Big Ben").contains("hello"))
        _ = try ann.output("contact", "remove", "Big Ben", "--yes", "--allow-shrink")
        #expect(try ann.output("contact", "list").isEmpty)
    }

    @Test("is asked about with the key that it stands for")
    func asking() throws {
        let ann = try Person("Ann", relay: relay.url)
        _ = try ann.output("contact", "alias", Published.npub, "Zoe")
        for line in [["contact", "add", "Zoe"], ["session", "new", "Films", "--member", "Zoe"]] {
            let asked = try ann.run(line)
            #expect(asked.code == 77 && asked.errorText.contains(Published.npub), "\(asked.errorText)")
        }
    }

    @Test("of several people means nobody, and the answer names them")
    func ambiguity() throws {
        let ann = try Person("Ann", relay: relay.url)
        let other = try PublicKey(hex: Published.profileKey).npub
        for key in [Published.npub, other] { _ = try ann.output("contact", "alias", key, "Ben") }
        let refused = try ann.linkstr("contact", "add", "Ben", "--first-list", "--yes")
        #expect(refused.code == 64 && refused.output.isEmpty)
        #expect(refused.errorText.contains(Published.npub) && refused.errorText.contains(other))
        #expect(try ann.output("contact", "list").isEmpty)
        _ = try ann.output("contact", "alias", other)
        #expect(try ann.output("profile", "show", "Ben").contains(Published.npub))
    }

    @Test("is what the account calls somebody, not what they call themselves")
    func names() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
        #expect(try ann.output("profile", "show", ben.npub).contains("(Ben)"))
        let refused = try ann.linkstr("profile", "show", "Ben")
        #expect(refused.code == 66 && refused.errorText.contains("\"Ben\" is neither a public key nor an alias"))
        _ = try ann.output("contact", "alias", ben.npub, "Ben")
        #expect(try ann.output("profile", "show", "Ben").contains(ben.npub))
    }

    @Test("never comes before a key, is never a key that is mistyped, and is never sought for a secret")
    func keys() throws {
        let ann = try Person("Ann", relay: relay.url)
        // Somebody is called like another one's key.
        _ = try ann.output("contact", "alias", Published.profileKey, Published.npub)
        #expect(try ann.output("profile", "show", Published.npub).hasPrefix(Published.npub))
        let mistyped = try ann.linkstr("profile", "show", Published.npub.dropLast() + "q")
        #expect(mistyped.code == 65 && !mistyped.errorText.contains("alias"), "\(mistyped.errorText)")
        let field = String(repeating: "f", count: 64)
        for secret in [Published.nsec, " \(Published.nsec) ", field, "key=" + field, Published.ncryptsec] {
            let refused = try ann.linkstr("profile", "show", secret)
            #expect(refused.code == 65, "\(refused.errorText)")
            #expect(!refused.errorText.contains(secret.suffix(20)), "\(refused.errorText)")
        }
    }

    @Test("needs an account, a key does not")
    func withoutAccount() throws {
        let home = try TemporaryFolder()
        #expect(try LinkstrProcess.run(["--home", home.path, "qr", Published.npub]).code == 0)
        let nobody = try LinkstrProcess.run(["--home", home.path, "qr", "Ben"])
        #expect(nobody.code == 65 && nobody.errorText.contains("npub"))
    }
}
