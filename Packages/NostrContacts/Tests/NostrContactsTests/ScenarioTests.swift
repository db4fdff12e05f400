import Locking
import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

/// The numbered sentences of linkstr's protocol that speak of contacts.
@Suite("Scenario")
struct ScenarioTests {
    private let desk = Desk()
    private let rich = listEvent([Tag("p", alice.hex, "wss://a.example", "Al"), Tag("t", "nostr")], at: 900)
    private let fans = (0..<120).map { _ in KeyPair.generate() }

    private func opened(_ actions: [QueryAction], _ prefix: String) -> [Query] {
        actions.compactMap { if case .open(let query) = $0, query.id.hasPrefix(prefix) { query } else { nil } }
    }

    @Test("99. Given a list with a hint, a petname and a non-p tag, When a contact is added, Then all are republished.")
    func verbatim() async throws {
        _ = try await desk.editor(knowing: rich).add([follow(bob)])
        #expect(desk.published.map { Array($0.tags) } == [Array(rich.tags) + [Tag("p", bob.hex)]])
    }

    @Test("100. Given an existing contact, When added again, Then no kind 3 is published.")
    func addedAgain() async throws {
        let editor = desk.editor(knowing: rich)
        #expect(try await editor.add([Follow(alice, petname: "Another")]) == .unchanged)
        #expect(desk.published.isEmpty)
        #expect(await editor.state.newest == rich)
    }

    @Test("101. Given relays rejecting kind 3, When adding, Then local contacts unchanged.")
    func rejected() async throws {
        let editor = desk.editor(knowing: rich)
        desk.state.withLock { $0.refusal = Desk.Refused() }
        await #expect(throws: Desk.Refused.self) { try await editor.add([follow(bob)]) }
        #expect(await editor.state.list?.keys == [alice.bytes])
        #expect(desk.state.withLock { $0.saves } == 0)
    }

    @Test("102. Given a newer remote list during publication, Then a second one is based on it; after three an error.")
    func conflicts() async throws {
        for (conflicts, isError) in [(1, false), (2, false), (3, true)] {
            let desk = Desk()
            let editor = desk.editor(knowing: rich)
            desk.during(next: conflicts) { event in
                try await editor.receive(listEvent(tags([carol]), at: event.createdAt + 1))
            }
            if isError {
                await #expect(throws: ContactsError.conflict) { try await editor.add([follow(bob)]) }
                #expect(desk.published.count == conflicts)
            } else {
                _ = try await editor.add([follow(bob)])
                #expect(desk.published.count == conflicts + 1)
                #expect(desk.published.last.map { Array($0.tags) } == tags([carol, bob]))
            }
        }
    }

    @Test("103. Given two additions started together, When both finish, Then the final list holds both.")
    func together() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock { $0 = { _ in await Task.yield() } }
        async let first = editor.add([follow(bob)])
        async let second = editor.add([follow(carol)])
        _ = try await (first, second)
        #expect(desk.published.last.flatMap(FollowList.init)?.keys == [alice.bytes, bob.bytes, carol.bytes])
    }

    @Test("104. Given sign-out during publication, When it is accepted, Then the account's store is not changed by it.")
    func signedOut() async throws {
        let editor = desk.editor(knowing: rich)
        desk.meanwhile.withLock { $0 = { _ in await editor.close() } }
        await #expect(throws: ContactsError.closed) { try await editor.add([follow(bob)]) }
        #expect(desk.published.count == 1)
        #expect(desk.state.withLock { $0.saves } == 0)
    }

    @Test("105. Given lists at equal time, When received in either order, Then the lower id wins.")
    func equalTime() async throws {
        let pair = [listEvent(tags([alice]), at: 950), listEvent(tags([bob]), at: 950)].sorted { $0.id < $1.id }
        for order in [pair, pair.reversed()] {
            let editor = desk.editor(knowing: rich)
            for event in order { try await editor.receive(event) }
            #expect(await editor.state.newest == pair[0])
        }
    }

    @Test("106. Given a restart, When an older list arrives, Then ignored.")
    func restarted() async throws {
        let before = desk.editor(knowing: rich)
        let json = FollowListRecord(state: await before.state, history: await before.history).json
        let stored = try FollowListRecord(json: json, owner: me.publicKey.bytes)
        let editor = FollowListEditor(keyPair: me, state: stored.state, environment: desk.environment)
        #expect(try await editor.receive(listEvent(tags([bob]), at: 899)) == .stale)
        #expect(await editor.state.newest == rich)
        #expect(try await editor.receive(listEvent(tags([bob]), at: 901)) == .applied)
    }

    @Test("107. Given the current event replayed, When its tags were missing locally, Then tags are restored.")
    func replayed() async throws {
        let editor = FollowListEditor(
            keyPair: me,
            state: FollowListState(owner: me.publicKey.bytes, watermark: ReplaceableVersion(rich)),
            environment: desk.environment
        )
        #expect(await editor.state.list == nil)
        #expect(try await editor.receive(rich) == .repeated)
        #expect(await editor.state.list?.tags == Array(rich.tags))
    }

    @Test("108. Given one relay failing the own-list query, When it ends, Then state unavailable, not empty.")
    func unavailable() {
        for isFailing in [true, false] {
            var load = FollowListLoad(owner: me.publicKey.bytes, relays: ["a", "b"], now: 0)
            load.finish("a")
            if isFailing { load.fail("b") } else { load.finish("b") }
            #expect(load.phase == (isFailing ? .unavailable : .ready))
        }
    }

    @Test("110. Given an author who followed at 100 and unfollowed at 101, When 100 comes again, Then not following.")
    func unfollowed() throws {
        func list(at time: Int64, following: Bool) -> Event {
            listEvent(tags(following ? [me.publicKey] : []), at: time, by: fans[0])
        }
        var discovery = FollowerDiscovery(owner: me.publicKey.bytes)
        let live = opened(discovery.open(relays: ["a"], now: 0), "linkstr-contact-new-")[0]
        #expect(discovery.receive(list(at: 100, following: true), for: live.id, from: "a") == true)
        #expect(discovery.followers.count == 1)
        discovery.show([fans[0].publicKey.bytes], now: 0)
        let row = opened(discovery.advance(to: 100), "linkstr-contact-live-")[0]
        #expect(discovery.receive(list(at: 101, following: false), for: row.id, from: "a") == true)
        #expect(discovery.receive(list(at: 100, following: true), for: live.id, from: "a") == false)
        #expect(discovery.followers.isEmpty)
        let stored = discovery.allRecords.compactMap { try? FollowerRecord(json: $0.json) }
        var again = FollowerDiscovery(owner: me.publicKey.bytes, records: stored)
        let next = opened(again.open(relays: ["a"], now: 0), "linkstr-contact-new-")[0]
        #expect(again.receive(list(at: 100, following: true), for: next.id, from: "a") == false)
        #expect(again.followers.isEmpty)
    }

    @Test(
        "111. Given five full pages at one second, Then limits are 200, 200, 400, 800, 1,600 and the result is partial."
    )
    func fullPages() {
        var discovery = FollowerDiscovery(owner: me.publicKey.bytes)
        let all = (0..<1_600).map { index in
            listEvent([Tag("p", me.publicKey.hex), Tag("n", String(index))], at: 100, by: fans[index % 120])
        }
        var actions = discovery.open(relays: ["a"], now: 0)
        var pages: [Query] = []
        while let page = opened(actions, "linkstr-contacts-").first(where: { $0.filter.authors == nil }) {
            pages.append(page)
            for event in all.prefix(page.filter.limit ?? 0) { _ = discovery.receive(event, for: page.id, from: "a") }
            _ = discovery.finish(page.id, from: "a", now: 1)
            actions = discovery.loadMore(now: 2)
        }
        #expect(pages.map(\.filter.limit) == [200, 200, 400, 800, 1_600])
        #expect(pages.map(\.filter.until) == [nil, 100, 100, 100, 100])
        #expect(discovery.isPartial)
    }

    @Test("112. Given a discovery relay timing out, When the query ends, Then no author is marked as unfollowed.")
    func timedOut() {
        let record = FollowerRecord(
            author: fans[0].publicKey.bytes,
            version: ReplaceableVersion(listEvent([], at: 5, by: fans[0])),
            followsOwner: true
        )
        var discovery = FollowerDiscovery(owner: me.publicKey.bytes, records: [record])
        _ = discovery.open(relays: ["a"], now: 0)
        _ = discovery.advance(to: FollowerDiscovery.timeout)
        #expect(discovery.followers == [record])
        #expect(discovery.isPartial)
    }

    @Test(
        "113. Given 120 unknown profile keys, Then two batches of 50 at once, three tries each, then a pause of 300 s."
    )
    func profiles() {
        var lookup = ProfileLookup()
        let keys = fans.map(\.publicKey.bytes)
        var actions = lookup.want(keys, now: 0)
        var sizes: [Int] = []
        var tries: [Set<Bytes32>: Int] = [:]
        var now: Int64 = 0
        while true {
            let queries = opened(actions, "linkstr-profile-lookup-")
            for query in queries {
                sizes.append(query.filter.authors?.count ?? 0)
                tries[query.filter.authors ?? [], default: 0] += 1
            }
            guard let next = lookup.nextDeadline else { break }
            now = next
            actions = lookup.advance(to: now)
        }
        #expect(sizes.prefix(2) == [50, 50])
        #expect(tries.values.sorted() == [3, 3, 3])
        #expect(Set(tries.keys.map(\.count)) == [50, 20])
        #expect(lookup.want(keys, now: now + ProfileLookup.pause - 1).isEmpty == false, "batches that ended before")
        #expect(opened(lookup.want(keys, now: now + ProfileLookup.pause), "").isEmpty, "two at once")
    }

    @Test("114. Given a cleared profile name newer than the stored one, Then no name; an older name does not return.")
    func clearedName() throws {
        func profile(_ content: String, at time: Int64) -> Event {
            Event(kind: .metadata, content: content, createdAt: time, signedBy: me)
        }
        var record = try #require(ProfileRecord(profile(#"{"name":"a"}"#, at: 5)))
        #expect(record.apply(profile(#"{"about":"x"}"#, at: 6)) == true)
        #expect(record.name == nil)
        var stored = try ProfileRecord(json: record.json)
        #expect(stored.apply(profile(#"{"name":"a"}"#, at: 5)) == false)
        #expect(stored.name == nil)
        #expect(stored.apply(profile(#"{"name":"b"}"#, at: 7)) == true)
        #expect(stored.name == "b")
    }
}
