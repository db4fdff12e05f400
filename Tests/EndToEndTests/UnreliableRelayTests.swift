import FaultyRelay
import Foundation
import NostrCrypto
import NostrEvents
import Sockets
import Testing

/// Sharing over relays that lie, are down, refuse, or have lost or hidden something.
@Suite("Sharing over unreliable relays", .timeLimit(.minutes(10)))
struct UnreliableRelayTests {
    private typealias Person = SharingTests.Person

    /// Says that it takes everything and keeps nothing for those to whom it belongs; gives forgeries, and what was not asked for.
    private static let lie: ScriptedRelay.Script = { relay, session, message in
        switch message {
        case .event(let wire): return [.send(.ok(wire.id, accepted: true, .empty))]
        case .request(let name, let filters):
            var lies: [Action] = [.send(.notice("all is well\u{1B}[2J"))]
            for case .event(let wire) in relay.received {
                guard let event = try? Event(verifying: wire) else { continue }
                let isAsked = filters.contains { $0.matches(event) }
                lies.append(isAsked ? .text(forgery(of: event, name)) : .send(.event(name, wire)))
            }
            return lies + [.send(.endOfStoredEvents(name, .finish))]
        default: return relay.honest(session, message)
        }
    }

    /// The same event with another content.
    private static func forgery(of event: Event, _ name: SubscriptionID) -> String {
        let content = String(event.content.reversed())
        let json = String(decoding: event.json, as: UTF8.self).replacing(event.content, with: content)
        return #"["EVENT","\#(name)",\#(json)]"#
    }

    @Test("three members agree over four relays of which one lies and one is down")
    func lyingRelay() async throws {
        let liar = ScriptedRelay(on: try EventLoop())
        await liar.follow(Self.lie)
        let lying = try await liar.listen().text
        try await offThePool {
            let honest = [try RelayProcess(["--in-memory"]), try RelayProcess(["--in-memory"])]
            let relays = [lying, "ws://127.0.0.1:9"] + honest.map(\.url)
            let people = try ["Ann", "Ben", "Cleo"].map { try Person($0, relays: relays) }
            let members = people[1...].flatMap { ["--member", $0.npub] } + ["--yes", "--not-a-contact"]
            let made = try people[0].run(["session", "new", "Films"] + members)
            #expect(made.code == 0, "\(made.errorText)")
            var posts: Set<String> = []
            for (number, person) in people.enumerated() {
                _ = try person.output("sync")
                let post = try person.output("post", "Films", "example.com/\(number)", "--json")
                posts.insert(try #require(try post.field("id")))
            }
            for person in people { _ = try person.output("sync") }
            _ = try people[2].output("react", try #require(posts.first), "👍")
            _ = try people[0].output("session", "rename", "Films", "Good films", "--yes")
            var feeds: Set<String> = []
            for person in people {
                _ = try person.output("sync")
                let feed = try person.run(["feed", "Good films", "--json"]).lines
                #expect(Set(try feed.compactMap { try $0.field("id") }) == posts)
                #expect(feed.count { $0.contains("👍") } == 1)
                feeds.insert(feed.map { $0.replacing(/"(unread|author_name)":[^,]*,/, with: "") }.joined())
                // Each has all of them from both honest relays.
                for relay in honest { #expect(try person.wraps(on: relay.url) == 6) }
            }
            #expect(feeds.count == 1, "\(feeds)")
            let device = try people[1].freshDevice(relays: relays)
            _ = try device.output("sync")
            #expect(
                try device.run(["feed", "Good films"]).lines.count == people[1].run(["feed", "Good films"]).lines.count
            )
        }
        // It was asked, and it lied to all of them.
        #expect(await liar.connections > 10)
        await liar.stopListening()
    }

    @Test("a member whom every relay refuses is named, and the others go on once that one is removed")
    func refusedMember() throws {
        let open = try RelayProcess(["--in-memory"])
        let (ann, ben, cleo) = (
            try Person("Ann", relay: open.url), try Person("Ben", relay: open.url), try Person("Cleo", relay: open.url)
        )
        let authors = ["--in-memory", "--author", ann.npub, "--author", cleo.npub]
        let relays = [try RelayProcess(authors), try RelayProcess(authors)]
        for person in [ann, ben, cleo] { person.use(relays.map(\.url)) }
        let refused = try ann.linkstr("session", "new", "Refused", "--member", ben.npub, "--yes", "--not-a-contact")
        #expect(refused.code == 69 && refused.errorText.contains(ben.npub), "\(refused.errorText)")
        #expect(try ann.output("session", "list").isEmpty)
        _ = try ann.output("session", "new", "Films", "--member", cleo.npub, "--yes", "--not-a-contact")
        let added = try ann.linkstr("session", "add", "Films", ben.npub, "--yes", "--not-a-contact")
        #expect(added.code == 69 && added.errorText.contains(ben.npub), "\(added.errorText)")
        // While a relay took Ben's copies he became a member.
        ann.use(relays.map(\.url) + [open.url])
        _ = try ann.output("session", "add", "Films", ben.npub, "--yes", "--not-a-contact")
        ann.use(relays.map(\.url))
        let post = try ann.linkstr("post", "Films", "example.com/a")
        #expect(post.code == 69 && post.errorText.contains(ben.npub), "\(post.errorText)")
        #expect(post.errorText.contains("can be removed from the session"), "\(post.errorText)")
        _ = try ann.output("session", "remove", "Films", ben.npub, "--yes")
        _ = try ann.output("post", "Films", "example.com/a")
        _ = try cleo.output("sync")
        #expect(try cleo.output("feed").contains("example.com/a"))
        #expect(try cleo.output("session", "members", "Films").split(separator: "\n").count == 2)
    }

    @Test("what relays lost of the member lists is put back by a device that has it, and said to be missing before")
    func lostSnapshots() throws {
        let folder = try TemporaryFolder()
        let first = try RelayProcess(["--database", folder.path + "/whole.db"])
        let ann = try Person("Ann", relay: first.url)
        let session = try ann.output("session", "new", "Films").prefix { !$0.isWhitespace }
        _ = try ann.output("post", "Films", "example.com/first")
        // The next list of members is later than the post.
        _ = try ann.output("session", "rename", "Films", "Good films", "--yes")
        _ = try ann.output("post", "Good films", "example.com/second")
        first.end(by: SIGTERM)

        let secret = folder.file("secret", try ann.output("account", "export", "--yes"))
        let wraps = try LinkstrProcess.run(["store", "export", folder.path + "/whole.db"])
        let opened = try LinkstrProcess.run(["unwrap", "--sec", "@" + secret], input: wraps.text)
        let lost = try opened.lines.filter { $0.contains("session_create") }.compactMap { try $0.field("wrap") }
        #expect(lost.count == 1)
        let left = wraps.lines.filter { line in !lost.contains { line.contains($0) } }
        let poor = folder.path + "/poor.db"
        #expect(try LinkstrProcess.run(["store", "import", poor], input: left.joined(separator: "\n")).code == 0)
        let address = String(first.url.dropFirst("ws://".count))
        let second = try RelayProcess(["--database", poor], listen: address)

        let early = try ann.freshDevice(relays: [second.url])
        let synced = try early.linkstr("sync")
        let sentence = "1 post older than it is not shown"
        #expect(synced.code == 0 && synced.errorText.contains(sentence), "\(synced.errorText)")
        for command in ["status", "doctor"] { #expect(try early.output(command).contains(sentence)) }
        let feed = try early.output("feed", String(session))
        #expect(feed.contains("example.com/second") && !feed.contains("example.com/first"))
        _ = try ann.output("sync", "--full")
        for device in [early, try ann.freshDevice(relays: [second.url])] {
            _ = try device.output("sync", "--full")
            let feed = try device.output("feed", String(session))
            #expect(feed.contains("example.com/second") && feed.contains("example.com/first"))
            #expect(try !device.output("status").contains("not shown"))
        }
    }

    /// - Parameter reconciles: Whether the relay can be asked for what is missing of one second (NIP-77); else only what is older and
    ///   newer is found, and the history is called incomplete.
    @Test("4,001 wraps of junk in one second hide nothing else", arguments: [true, false])
    func junk(reconciles: Bool) async throws {
        let loop = try EventLoop()
        let folder = try TemporaryFolder()
        let database = folder.path + "/relay.db"
        let relay = try RelayProcess(["--database", database])
        let ann = try Person("Ann", relay: relay.url)
        _ = try ann.output("session", "new", "Films")
        for number in 0..<6 { _ = try ann.output("post", "Films", "example.com/\(number)") }
        relay.end(by: SIGTERM)
        // Beside them there is the account's profile.
        let wraps = try LinkstrProcess.run(["store", "export", database]).lines.map { try Event(json: $0) }
            .filter { $0.kind == .giftWrap }
        let times = wraps.map(\.createdAt).sorted()
        #expect(times.count == 7)
        // Where the second can be completed, one of the wraps that count is in it; else it is between them.
        let gap = try #require(times.indices.dropFirst().max { times[$0] - times[$0 - 1] < times[$1] - times[$1 - 1] })
        let second = reconciles ? times[3] : (times[gap - 1] + times[gap]) / 2
        #expect(
            times.contains { $0 < second } && times.contains { $0 > second } && times.contains(second) == reconciles
        )
        let outsider = KeyPair(.generate())
        let tag = Tag("p", try ann.key)
        let junk = (0..<4_001).map { number in
            Event(kind: .giftWrap, content: "junk \(number)", tags: [tag], createdAt: second, signedBy: outsider)
        }
        let url: String
        var running: RelayProcess?
        if reconciles {
            let lines = junk.map { String(decoding: $0.json, as: UTF8.self) + "\n" }.joined()
            #expect(try LinkstrProcess.run(["store", "import", database], input: lines).code == 0)
            running = try RelayProcess(["--database", database])
            url = running?.url ?? ""
        } else {
            let scripted = ScriptedRelay(on: loop, events: wraps + junk)
            await scripted.change { $0.pageLimit = 500 }
            url = try await scripted.listen().text
        }
        try await offThePool {
            let device = try ann.freshDevice(relays: [url])
            let synced = try device.linkstr("sync", "--json")
            #expect(synced.code == 0 && synced.text.contains(url) == reconciles, "\(synced.text)\(synced.errorText)")
            #expect(synced.errorText.contains("more of one second") == !reconciles, "\(synced.errorText)")
            let feed = try device.output("feed")
            for number in 0..<6 { #expect(feed.contains("example.com/\(number)")) }
        }
        running?.end(by: SIGTERM)
    }
}

/// Does something that blocks on a thread of its own: a relay in this process needs those of the pool.
func offThePool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
