import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrContacts
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import NostrTransport
import Testing

@Suite("The contacts of an account", .timeLimit(.minutes(10)))
struct ContactTests {
    @Test("are added and removed on the relays, with every tag of others kept, and undone")
    func editing() async throws {
        let village = try await Village()
        let (ann, ben, cat) = (try Person(), try Person(), try Person())
        // A list by another program, with things that are unknown here.
        let stranger = Tag("p", ben.key.hex, "wss://relay.example", "Benny")
        let other = Event(
            kind: .followList,
            content: "{\"wss://old.example\":{}}",
            tags: [stranger, Tag("t", "tea"), Tag("x")],
            createdAt: 1_700_000_000,
            signedBy: ann.keys.keyPair
        )
        _ = try await village.store.ingest(other)
        let runtime = try await ann.runtime([village.url])
        #expect(await runtime.contacts().isKnown == false)
        #expect(try await runtime.addContact(cat.publicKey, alias: "Kit"))
        let list = try #require(try await village.newest(.followList, by: ann.key))
        #expect(Array(list.tags) == [stranger, Tag("t", "tea"), Tag("x"), Tag("p", cat.key.hex)])
        #expect(list.content == other.content)
        let contacts = await runtime.contacts()
        #expect(contacts.isKnown && contacts.contacts.map(\.key) == [ben.key, cat.key])
        #expect(contacts.contacts.map(\.alias) == [nil, "Kit"] && contacts.contacts[0].petname == "Benny")
        #expect(try await !runtime.addContact(cat.publicKey, alias: "Kat"))
        #expect(try await village.newest(.followList, by: ann.key)?.id == list.id)
        #expect(await runtime.displayName(of: cat.key) == "Kat")

        #expect(try await runtime.removeContact(cat.publicKey, confirming: .shrink))
        #expect(await runtime.contacts().contacts.map(\.key) == [ben.key])
        #expect(await runtime.displayName(of: cat.key) == cat.publicKey.npub)
        let history = await runtime.contactHistory()
        #expect(history.map(\.count) == [2, 1] && history[0].removedAfter == [cat.key])
        #expect(try await runtime.undoContacts(1))
        #expect(await runtime.contacts().contacts.map(\.key) == [ben.key, cat.key])
        await runtime.close()

        // All of it is there again after a restart, without a relay.
        let later = try await ann.runtime([])
        #expect(await later.contacts().contacts.map(\.key) == [ben.key, cat.key])
        #expect(await later.contactHistory().count == 3)
        await later.close()
        try await village.close()
    }

    @Test("are never published over a list that a relay has not told")
    func unknownList() async throws {
        let village = try await Village()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let (ann, ben) = (try Person(), try Person())
        let offline = try await ann.runtime([nobody], gate: .milliseconds(200))
        await #expect { try await offline.addContact(ben.publicKey) } throws: { error in
            if case ClientError.noRelayReached = error { true } else { false }
        }
        await offline.close()
        let runtime = try await ann.runtime([village.url])
        #expect(try await runtime.addContact(ben.publicKey))
        #expect(await runtime.contacts().contacts.map(\.key) == [ben.key])
        await runtime.close()
        try await village.close()
    }

    @Test("need a yes before more than half of them go")
    func shrinking() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let runtime = try await ann.runtime([village.url])
        try await runtime.addContact(ben.publicKey)
        await #expect(throws: ClientError.contacts(.shrinks(from: 1, to: 0))) {
            try await runtime.removeContact(ben.publicKey)
        }
        #expect(await runtime.isContact(ben.key))
        #expect(try await runtime.removeContact(ben.publicKey, confirming: .shrink))
        await runtime.close()
        try await village.close()
    }

    @Test("are told who has added them, at once and when they ask")
    func followers() async throws {
        let village = try await Village()
        let (ann, ben, cat) = (try Person(), try Person(), try Person())
        let cats = try await cat.runtime([village.url])
        try await cats.addContact(ann.publicKey)
        var (anns, hears) = try await ann.live([village.url])
        let bens = try await ben.runtime([village.url])
        try await bens.addContact(ann.publicKey)
        let follower = try await hears.first { event -> Follower? in
            if case .followed(let follower) = event.kind { follower } else { nil }
        }
        #expect(follower.key == ben.key && !follower.isContact)
        let found = try await anns.discoverFollowers()
        #expect(Set(found.followers.map(\.key)) == [ben.key, cat.key] && !found.isPartial)
        // Who has taken it back is none any more.
        try await cats.removeContact(ann.publicKey, confirming: .shrink)
        #expect(try await anns.discoverFollowers().followers.map(\.key) == [ben.key])
        for runtime in [anns, bens, cats] { await runtime.close() }
        try await village.close()
    }

    @Test("are shown by the name they publish unless the person calls them otherwise")
    func profiles() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let bens = try await ben.runtime([village.url])
        let other = Event(
            kind: .metadata,
            content: #"{"name":"old","about":"tea"}"#,
            createdAt: 1_700_000_000,
            signedBy: ben.keys.keyPair
        )
        _ = try await village.store.ingest(other)
        try await bens.setProfile(name: " Ben \n Bee ")
        let profile = try #require(try await village.newest(.metadata, by: ben.key))
        #expect(profile.content == #"{"about":"tea","display_name":"Ben Bee","name":"Ben Bee"}"#)
        await #expect(throws: ClientError.contacts(.nameTooLong(limit: 80))) {
            try await bens.setProfile(name: String(repeating: "n", count: 81))
        }
        let anns = try await ann.runtime([village.url])
        #expect(await anns.displayName(of: ben.key) == ben.publicKey.npub)
        #expect(try await anns.lookUpNames(of: [ben.key, ann.key]) == [ben.key: "Ben Bee"])
        #expect(await anns.displayName(of: ben.key) == "Ben Bee")
        try await anns.setAlias("B", of: ben.publicKey)
        #expect(await anns.displayName(of: ben.key) == "B")
        try await bens.setProfile(name: nil)
        #expect(try await village.newest(.metadata, by: ben.key)?.content == #"{"about":"tea"}"#)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }
}

@Suite("Sessions by strangers", .timeLimit(.minutes(10)))
struct RequestTests {
    @Test("wait without a notification until they are accepted, and those of contacts do not")
    func waiting() async throws {
        let village = try await Village()
        let (ann, ben, cat) = (try Person(), try Person(), try Person())
        var (anns, hears) = try await ann.live([village.url])
        try await anns.addContact(cat.publicKey, confirming: .firstList)
        let bens = try await ben.runtime([village.url])
        let cats = try await cat.runtime([village.url])
        let strange = try await bens.make("Spam", with: [ann.key])
        try await bens.post("spam", in: strange)
        #expect(try await !hears.post().isWorth)
        let known = try await cats.make("Tea", with: [ann.key])
        try await cats.post("tea", in: known)
        #expect(try await hears.post().isWorth)
        #expect(try await anns.requests().map(\.id) == [strange.id])
        #expect(try await anns.store.feed(FeedQuery()).items.map(\.session) == [known.id])

        try await anns.decline(strange.id)
        #expect(try await anns.requests(declined: true).map(\.id) == [strange.id])
        try await anns.accept(strange.id)
        try await bens.post("again", in: strange)
        #expect(try await hears.post().isWorth)
        for runtime in [anns, bens, cats] { await runtime.close() }
        try await village.close()
    }

    @Test("are accepted by a post into them, here and on another device, and by adding who made them")
    func answering() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let bens = try await ben.runtime([village.url])
        let first = try await bens.make("One", with: [ann.key])
        let second = try await bens.make("Two", with: [ann.key])
        _ = try await anns.catchUp()
        #expect(try await anns.requests().count == 2)
        try await anns.post("a", in: try #require(try await anns.store.log(first.id)))
        #expect(try await anns.requests().map(\.id) == [second.id])
        let device = try ann.secondDevice()
        let other = try await device.runtime([village.url])
        _ = try await other.catchUp()
        #expect(try await other.requests().map(\.id) == [second.id])
        try await anns.addContact(ben.publicKey)
        #expect(try await anns.requests().isEmpty)
        _ = try await other.catchUp()
        #expect(try await other.requests().isEmpty)
        for runtime in [anns, bens, other] { await runtime.close() }
        try await village.close()
    }

    @Test("are shown like others where the person wants that")
    func setting() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        try await anns.changeSettings { $0.requestsByStrangers = false }
        let bens = try await ben.runtime([village.url])
        _ = try await bens.make("One", with: [ann.key])
        _ = try await anns.catchUp()
        #expect(try await anns.requests().isEmpty)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }
}
