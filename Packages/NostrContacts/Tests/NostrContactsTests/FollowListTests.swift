import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

@Suite("A follow list")
struct FollowListTests {
    private let rich = [
        Tag("p", alice.hex, "wss://a.example", "Al"), Tag("t", "nostr"), Tag("p", bob.hex, "", "", "fifth"), Tag("-"),
        Tag("p", "nobody"), Tag("e", ""), Tag("p"),
    ]

    @Test("keeps every tag, the order and the content when somebody is added or removed")
    func verbatim() throws {
        let content = #"{"wss://old.example":{"read":true}} e\#u{301}"#
        let list = try #require(FollowList(listEvent(rich, at: 1, content: content)))
        #expect(list.tags == rich)
        #expect(list.content.utf8.elementsEqual(content.utf8))
        let more = list.adding([follow(carol), follow(bob)])
        #expect(more.tags == rich + [Tag("p", carol.hex)])
        #expect(more.removing([alice.bytes]).tags == Array(rich[1...]) + [Tag("p", carol.hex)])
        #expect(more.content.utf8.elementsEqual(content.utf8))
        let again = try #require(FollowList(more.event(createdAt: 2, signedBy: me)))
        #expect(again == more)
    }

    @Test("appends several in the order of their keys, with hints and names where given")
    func adding() {
        let new = [carol, alice, bob]
        #expect(FollowList().adding(new.map(follow)).tags == tags(new.sorted()))
        let named = Follow(alice, relayHint: "wss://a.example", petname: "Al")
        #expect(FollowList().adding([named, named]).tags == [Tag("p", alice.hex, "wss://a.example", "Al")])
        #expect(FollowList().adding([Follow(alice, petname: "Al")]).tags == [Tag("p", alice.hex, "", "Al")])
        #expect(FollowList().adding([Follow(alice, relayHint: "wss://a")]).tags == [Tag("p", alice.hex, "wss://a")])
    }

    @Test("follows each key once and forgives capitals and spaces")
    func keys() {
        let list = FollowList(tags: [
            Tag("p", " \(alice.hex.uppercased())\n", "wss://a.example"), Tag("p", alice.hex), Tag("P", bob.hex),
            Tag("p", String(repeating: " ", count: 300) + bob.hex),
        ])
        #expect(list.follows.map(\.key) == [alice.bytes])
        #expect(list.follows.first?.relayHint == "wss://a.example")
        #expect(list.keys == [alice.bytes] && list.contains(alice.bytes) && !list.contains(bob.bytes))
        #expect(list.removing([alice.bytes]).tags.count == 2, "each tag of a key goes with it")
    }

    @Test("is no event of another kind")
    func kind() {
        #expect(FollowList(Event(kind: .textNote, content: "", createdAt: 1, signedBy: me)) == nil)
    }

    @Test("takes over what others changed since a common version, and keeps its own where both did")
    func merging() {
        let base = FollowList(tags: [Tag("p", alice.hex), Tag("p", bob.hex), Tag("t", "old")], content: "c")
        let theirs = FollowList(
            tags: [Tag("p", alice.hex, "wss://new"), Tag("t", "new"), Tag("p", carol.hex)],
            content: "theirs"
        )
        #expect(
            base.merging(theirs, from: base)
                == FollowList(
                    tags: [Tag("p", alice.hex, "wss://new"), Tag("t", "new"), Tag("p", carol.hex)],
                    content: "theirs"
                )
        )
        let ours = FollowList(
            tags: [Tag("p", alice.hex, "wss://ours"), Tag("p", bob.hex), Tag("t", "old")],
            content: "x"
        )
        let merged = ours.merging(theirs, from: base)
        #expect(merged.tags == [Tag("p", alice.hex, "wss://ours"), Tag("t", "new"), Tag("p", carol.hex)])
        #expect(merged.content == "x")
        #expect(merged.merging(theirs, from: base) == merged, "merging twice changes nothing")
        #expect(ours.merging(base, from: base) == ours)
    }

    @Test("says what is different")
    func difference() {
        let old = FollowList(tags: [Tag("p", alice.hex), Tag("p", bob.hex), Tag("t", "a")])
        let new = FollowList(tags: [Tag("p", carol.hex), Tag("p", bob.hex, "wss://b"), Tag("t", "b")], content: "x")
        let difference = old.difference(to: new)
        #expect(difference.added.map(\.key) == [carol.bytes])
        #expect(difference.removed.map(\.key) == [alice.bytes])
        #expect(difference.changed.map(\.relayHint) == ["wss://b"])
        #expect(difference.addedTags == [Tag("t", "b")] && difference.removedTags == [Tag("t", "a")])
        #expect(difference.changesContent && !difference.isEmpty)
        #expect(old.difference(to: FollowList(tags: old.tags.reversed())).isEmpty)
    }
}

@Suite("The newest follow list")
struct FollowListStateTests {
    private let owner = me.publicKey.bytes

    @Test("is the later one, at the same time the one of the lower id, in whatever order they come")
    func order() {
        let first = listEvent(tags([alice]), at: 5)
        let second = listEvent(tags([bob]), at: 5)
        let lower = first.id < second.id ? first : second
        for events in [[first, second], [second, first]] {
            var state = FollowListState(owner: owner)
            for event in events { _ = state.apply(event) }
            #expect(state.newest == lower)
        }
    }

    @Test("is not rolled back by an older one, after a restart too")
    func watermark() {
        let newer = listEvent(tags([alice]), at: 5)
        var state = FollowListState(owner: owner, watermark: ReplaceableVersion(newer))
        #expect(state.apply(listEvent([], at: 4)) == .stale)
        #expect(state.newest == nil)
        #expect(state.apply(newer) == .repeated)
        #expect(state.list?.tags == tags([alice]), "the same version brings the tags back")
        #expect(state.apply(listEvent([], at: 6)) == .applied)
        #expect(
            FollowListState(owner: owner, newest: listEvent([], at: 4), watermark: ReplaceableVersion(newer)).list
                == nil
        )
    }

    @Test("is the owner's and of kind 3")
    func foreign() {
        var state = FollowListState(owner: owner)
        #expect(state.apply(listEvent([], at: 5, by: KeyPair.generate())) == .foreign)
        #expect(state.apply(Event(kind: .textNote, content: "", createdAt: 5, signedBy: me)) == .foreign)
        #expect(state.watermark == nil)
    }

    @Test("is asked for at all relays, and unavailable when one fails")
    func load() {
        let relays: Set = ["a", "b"]
        var load = FollowListLoad(owner: owner, relays: relays, now: 0)
        load.receive(listEvent(tags([alice]), at: 5), from: "a")
        load.finish("a")
        #expect(load.phase == .loading)
        load.receive(listEvent(tags([bob]), at: 6), from: "b")
        load.receive(listEvent([], at: 7), from: "c")
        load.receive(listEvent([], at: 7, by: KeyPair.generate()), from: "b")
        load.finish("b")
        #expect(load.phase == .ready && load.newest?.createdAt == 6)

        var refused = FollowListLoad(owner: owner, relays: relays, now: 0)
        refused.finish("a")
        refused.fail("b")
        #expect(refused.phase == .unavailable)

        var late = FollowListLoad(owner: owner, relays: relays, now: 0)
        late.finish("a")
        late.advance(to: 9_999)
        #expect(late.phase == .loading && late.nextDeadline == 10_000)
        late.advance(to: 10_000)
        #expect(late.phase == .unavailable)
        #expect(FollowListLoad(owner: owner, relays: [], now: 0).phase == .unavailable)
    }
}
