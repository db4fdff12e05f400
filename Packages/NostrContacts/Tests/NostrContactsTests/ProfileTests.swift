import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

@Suite("A profile")
struct ProfileTests {
    @Test(
        "is called by its display name, cleaned, or else by its name",
        arguments: [
            (#"{"display_name":"Al","name":"alice"}"#, "Al"),
            (#"{"display_name":"","name":"alice"}"#, "alice"),
            (#"{"display_name":" \u0000\t ","name":" a \n\n b\u0007 "}"#, "a b"),
            (#"{"display_name":null,"name":"null"}"#, "null"),
            (#"{"name":7}"#, nil),
            (#"{"name":"\u200d"}"#, "\u{200D}"),
            (#"{}"#, nil),
            (#"{"name":"first","name":"second"}"#, "second"),
        ] as [(String, String?)]
    )
    func names(content: String, name: String?) throws {
        #expect(try ProfileMetadata(content: content).chosenName == name)
    }

    @Test("keeps what it does not know when the name changes, with sorted keys")
    func unknownMembers() throws {
        let content = #"{"zap":{"b":1,"a":[1.50,null]},"about":"\/ é","name":"old","x":null,"x":true}"#
        var profile = try ProfileMetadata(content: content)
        try profile.setName("  New  name ")
        #expect(
            profile.content
                == #"{"about":"/ é","display_name":"New name","name":"New name","x":true,"zap":{"a":[1.50,null],"b":1}}"#
        )
        try profile.setName(" ")
        #expect(profile.content == #"{"about":"/ é","x":true,"zap":{"a":[1.50,null],"b":1}}"#)
        #expect(profile.chosenName == nil)
    }

    @Test("has a name of 80 characters at most")
    func length() throws {
        var profile = ProfileMetadata()
        let eighty = String(repeating: "👩‍👩‍👧", count: 80)
        try profile.setName(eighty)
        #expect(profile.chosenName == eighty)
        #expect(throws: ContactsError.nameTooLong(limit: 80)) { try profile.setName(eighty + "a") }
        #expect(profile.chosenName == eighty, "nothing has changed")
    }

    @Test("is a JSON object", arguments: ["", "[]", "null", "\"{}\"", "{", "{\"a\":1}x"])
    func malformed(content: String) {
        #expect(throws: ContactsError.notMetadata) { try ProfileMetadata(content: content) }
    }

    @Test("is published after the one it replaces")
    func time() throws {
        var profile = ProfileMetadata()
        try profile.setName("Me")
        let first = try profile.event(replacing: nil, now: 100, signedBy: me)
        #expect(first.kind == .metadata && first.createdAt == 100)
        #expect(try ProfileMetadata(first)?.chosenName == "Me")
        #expect(try profile.event(replacing: ReplaceableVersion(first), now: 50, signedBy: me).createdAt == 101)
        let late = ReplaceableVersion(createdAt: 651, id: first.id)
        #expect(throws: ContactsError.clockBehind(seconds: 601)) {
            try profile.event(replacing: late, now: 50, signedBy: me)
        }
    }

    @Test("clears a name that was published before, and an older one does not bring it back")
    func cleared() throws {
        func event(_ content: String, at time: Int64) -> Event {
            Event(kind: .metadata, content: content, createdAt: time, signedBy: me)
        }
        var record = try #require(ProfileRecord(event(#"{"name":"a"}"#, at: 5)))
        #expect(record.name == "a")
        let cleared = event("{}", at: 6)
        #expect(record.apply(cleared) == true && record.name == nil)
        #expect(record.apply(event(#"{"name":"b"}"#, at: 4)) == false && record.name == nil)
        #expect(record.apply(cleared) == false)
        #expect(record.apply(event("nonsense", at: 7)) == true && record.name == nil)
        #expect(
            record.apply(Event(kind: .metadata, content: "{}", createdAt: 9, signedBy: KeyPair.generate())) == false
        )
    }
}

@Suite("A list with a private part")
struct PrivateListTests {
    @Test("mutes so that others do not see it, and keeps what it does not know")
    func mutes() throws {
        var list = MuteList()
        list.add(.key(alice.bytes))
        list.add(.hashtag("Spam"), isPrivate: false)
        list.add(.word("Ad"))
        list.add(.word("ad"), isPrivate: false)
        let event = try list.event(createdAt: 5, signedBy: me)
        #expect(event.kind == .muteList && Array(event.tags) == [Tag("t", "spam")])
        #expect(!event.content.contains(alice.hex))
        var read = try #require(try MuteList(event, owner: me))
        #expect(read == list)
        #expect(read.entries == [.key(alice.bytes), .hashtag("spam"), .word("ad")])
        #expect(read.publicEntries == [.hashtag("spam")])
        read.remove(.key(alice.bytes))
        read.remove(.word("AD"))
        let public_ = try read.event(createdAt: 6, signedBy: me)
        #expect(public_.content.isEmpty)
        let unknown = PrivateList(publicTags: [Tag("x", "1")], privateTags: [Tag("y"), Tag("word", "a", "b")])
        var kept = try #require(try MuteList(unknown.event(kind: .muteList, createdAt: 1, signedBy: me), owner: me))
        kept.add(.thread(event.id))
        #expect(kept.list.publicTags == unknown.publicTags)
        #expect(kept.list.privateTags == unknown.privateTags + [Tag("e", event.id.hex)])
    }

    @Test("groups people under a name")
    func sets() throws {
        var set = FollowSet(identifier: "friends")
        set.title = "Friends"
        set.summary = "close ones"
        set.add(Follow(alice, relayHint: "wss://a"))
        set.add(Follow(bob), isPrivate: true)
        set.add(Follow(bob))
        let event = try set.event(createdAt: 5, signedBy: me)
        #expect(event.tags.identifier == "friends" && event.kind == 30_000)
        var read = try #require(try FollowSet(event, owner: me))
        #expect(read == set && read.title == "Friends" && read.summary == "close ones" && read.image == nil)
        #expect(read.members.map(\.key) == [alice.bytes, bob.bytes])
        read.title = nil
        read.remove(bob.bytes)
        read.remove(alice.bytes)
        #expect(read.list == PrivateList(publicTags: [Tag("d", "friends"), Tag("description", "close ones")]))
        #expect(try FollowSet(Event(kind: .textNote, content: "", createdAt: 1, signedBy: me), owner: me) == nil)
    }

    @Test("is refused when its private part cannot be read, so that it is not overwritten")
    func unreadable() throws {
        func list(_ content: String) -> Event { Event(kind: .muteList, content: content, createdAt: 1, signedBy: me) }
        func sealed(_ json: String) throws -> Event {
            list(try NIP44.encrypt(json, with: ConversationKey(me.secretKey, me.publicKey)))
        }
        #expect(throws: ContactsError.legacyEncryption) { try PrivateList(list("abcd?iv=efgh"), owner: me) }
        #expect(throws: ContactsError.unreadablePrivatePart) { try PrivateList(list("nonsense"), owner: me) }
        #expect(try PrivateList(sealed(#"[["p","x"],[""]]"#), owner: me).privateTags == [Tag("p", "x"), Tag("")])
        for json in ["{}", "[[]]", "[[1]]", "[\"p\"]", "x"] {
            #expect(throws: ContactsError.unreadablePrivatePart) { try PrivateList(sealed(json), owner: me) }
        }
        let other = KeyPair.generate()
        #expect(throws: ContactsError.unreadablePrivatePart) { try PrivateList(sealed("[]"), owner: other) }
    }
}
