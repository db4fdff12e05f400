import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import Testing

@Test func theExampleOfTheReadmeHolds() throws {
    let me = PayloadTests.one
    let session = SessionID.draw(creator: me)
    let payload = Payload(session: session, body: .create(operation: "A", name: "Films", members: [me]), timestamp: 1)
    let rumor = Rumor(pubkey: me, kind: Payload.kind, content: payload.json, createdAt: 1)

    var sessions = Sessions(owner: me)
    let fact = try Fact(rumor, sender: me)
    _ = sessions.apply(fact, source: .historical)
    sessions.completeRestore()
    #expect(sessions.ids.map { sessions.session($0)?.membership.name ?? "" } == ["Films"])
}

@Test func theStoreExampleOfTheReadmeHolds() async throws {
    let me = PayloadTests.one
    let now: Int64 = 100
    let scratch = try Scratch()
    let path = scratch.path
    let session = try #require(SessionID("S"))
    let maker = Maker(session: session)
    let fact = maker.create([me], by: me, at: 1)
    let post = maker.root(by: me, at: 2, "a")

    let store = try await SessionStore.open(.file(path), owner: me, key: dataKey)
    let applied = try await store.apply([Arrival(fact, source: .live), Arrival(post, source: .live)], now: now)
    #expect(applied.effects == [.posted(session, post.id, by: me, .own), .appeared(session)])
    #expect(try await store.sessions().map(\.name) == ["Films"])
    let items = try await store.feed(FeedQuery(session: session, limit: 50)).items
    #expect(items.map(\.post.url.text) == ["https://example.com/a"])
    try await store.close()
}
