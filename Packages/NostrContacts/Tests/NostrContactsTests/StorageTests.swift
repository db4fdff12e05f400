import Locking
import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

@Suite("What is stored of contacts")
struct StorageTests {
    private let rich = listEvent(
        [Tag("p", alice.hex, "wss://a.example", "A\"l"), Tag("-")],
        at: 900,
        content: "{\"a\":1}"
    )
    private let owner = me.publicKey.bytes

    @Test("is the list, its version and the replaced lists, and an editor goes on from there")
    func followList() async throws {
        let desk = Desk()
        let editor = desk.editor(knowing: rich)
        _ = try await editor.add([follow(bob)])
        let record = FollowListRecord(state: await editor.state, history: await editor.history)
        let read = try FollowListRecord(json: record.json, owner: owner)
        #expect(read.json == record.json)
        #expect(read.state.newest == desk.published.last)
        #expect(read.history.events == [rich])
        let again = FollowListEditor(
            keyPair: me,
            state: read.state,
            history: read.history,
            environment: desk.environment
        )
        desk.state.withLock { $0.now += 1 }
        _ = try await again.undo()
        #expect(await again.state.list == FollowList(rich))
        let empty = FollowListRecord(state: FollowListState(owner: owner), history: FollowListHistory())
        #expect(try FollowListRecord(json: empty.json, owner: owner).state.watermark == nil)
        let version = FollowListState(owner: owner, watermark: ReplaceableVersion(rich))
        let bare = FollowListRecord(state: version, history: FollowListHistory())
        #expect(try FollowListRecord(json: bare.json, owner: owner).state.watermark == ReplaceableVersion(rich))
    }

    @Test("is not read when it is damaged or another's, so that nothing is published from ignorance")
    func damaged() throws {
        let record = FollowListRecord(
            state: FollowListState(owner: owner, newest: rich),
            history: FollowListHistory([listEvent([], at: 1)])
        )
        let text = String(decoding: record.json, as: UTF8.self)
        func read(_ text: String) throws(ContactsError) -> FollowListRecord {
            try FollowListRecord(json: Array(text.utf8), owner: owner)
        }
        #expect(try read(text).json == record.json)
        for damaged in [
            "", "[]", "{}", String(text.dropLast()), text.replacing("\"created_at\":900", with: "\"created_at\":901"),
            text.replacing("[900,", with: "[901,"), text.replacing("\"created_at\":1,", with: "\"created_at\":2,"),
            text.replacing("\"newest\":{", with: "\"older\":{"), text.replacing("\"sig\":\"", with: "\"sig\":\"0"),
        ] {
            #expect(throws: ContactsError.damagedStorage) { try read(damaged) }
        }
        #expect(throws: ContactsError.damagedStorage) { try FollowListRecord(json: record.json, owner: alice.bytes) }
    }

    @Test("is no more than 8 MiB of replaced lists, and the last of them however large")
    func sizes() {
        let large = (0..<20).map { index in
            listEvent([Tag("p", alice.hex)], at: Int64(index), content: String(repeating: "a", count: 1 << 20))
        }
        let history = FollowListHistory(large)
        #expect(history.events == Array(large.suffix(7)))
        let huge = listEvent([], at: 50, content: String(repeating: "a", count: 9 << 20))
        #expect(FollowListHistory(large + [huge]).events == [huge])
        #expect(FollowListHistory([huge] + large.prefix(2)).events == Array(large.prefix(2)))
    }

    @Test("of a follower or a profile comes back, and nothing from other JSON")
    func records() throws {
        let version = ReplaceableVersion(rich)
        for follows in [true, false] {
            let record = FollowerRecord(author: alice.bytes, version: version, followsOwner: follows)
            #expect(try FollowerRecord(json: record.json) == record)
        }
        for name in ["A \"l\" \u{1F600}", nil] {
            let record = ProfileRecord(key: alice.bytes, version: version, name: name)
            #expect(try ProfileRecord(json: record.json) == record)
        }
        for text in ["", "{}", "[]", #"{"author":"00","version":[1,"00"],"follows":true}"#] {
            #expect(throws: ContactsError.damagedStorage) { try FollowerRecord(json: Array(text.utf8)) }
            #expect(throws: ContactsError.damagedStorage) { try ProfileRecord(json: Array(text.utf8)) }
        }
    }
}
