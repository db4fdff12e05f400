import NostrCrypto
import NostrEvents
import NostrPreferences
import Testing

@Suite("A private preference")
struct PreferenceSpaceTests {
    private func content(_ event: Event) throws -> String {
        try NIP44.decrypt(event.content, with: ConversationKey(me.secretKey, me.publicKey))
    }

    private func aliasName(_ key: PublicKey = alice) -> String { space.identifier(for: "alias:" + key.hex) }

    @Test(
        "is published under a name that only the owner can compute",
        arguments: [
            (
                "alias:c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
                "b99fad58ed9b6c5be21cebaa86e73f49db26ab1490d1d88ba465e220f139458b"
            ),
            (
                "archive:0A1B2C3D4E5F60718293A4B5C6D7E8F9",
                "4c6d1535896a4555de188194f8b59567e009a4cb22126bbb0f27efbd6e2a7bd0"
            ),
        ]
    )
    func identifiers(itemKey: String, code: String) throws {
        let one = KeyPair(try SecretKey(hex: String(repeating: "0", count: 63) + "1"))
        let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: one)
        #expect(space.identifier(for: itemKey) == "linkstr/preferences/v1/" + code)
    }

    @Test("has exactly the members of linkstr")
    func wire() throws {
        func json(_ record: LinkstrPreference) throws -> String {
            let event = try space.encode(record, createdAt: 5).event
            #expect(event.kind == 30_078 && Array(event.tags) == [Tag("d", space.identifier(for: record.itemKey))])
            return try content(event)
        }
        #expect(try json(.alias(alice, name: "Al")) == #"{"alias":{"pubkey":"\#(alice.hex)","name":"Al"}}"#)
        #expect(try json(.alias(alice, name: nil)) == #"{"alias":{"pubkey":"\#(alice.hex)"}}"#)
        #expect(
            try json(.archive(sessionID: "A", isArchived: true)) == #"{"archive":{"sessionID":"A","archived":true}}"#
        )
        #expect(
            try json(.archive(sessionID: "A", isArchived: false)) == #"{"archive":{"sessionID":"A","archived":false}}"#
        )
    }

    @Test("comes back, with its members in any order, escapes and null for an absent name")
    func reading() throws {
        func read(_ json: String, _ itemKey: String) throws -> LinkstrPreference {
            try space.decode(event(json, identifier: space.identifier(for: itemKey)), as: LinkstrPreference.self).record
        }
        let key = "alias:" + alice.hex
        #expect(
            try read(#"{ "alias" : {"name":"a\/\u0062","pubkey":"\#(alice.hex)"} }"#, key) == .alias(alice, name: "a/b")
        )
        #expect(try read(#"{"alias":{"pubkey":"\#(alice.hex)","name":null}}"#, key) == .alias(alice, name: nil))
        #expect(try read(#"{"alias":{"pubkey":"\#(alice.hex)","name":"null"}}"#, key) == .alias(alice, name: "null"))
        #expect(
            try read(#"{"archive":{"archived":false,"sessionID":"a b"}}"#, "archive:a b")
                == .archive(sessionID: "a b", isArchived: false)
        )
    }

    @Test("keeps members that are not known when it changes")
    func unknownMembers() throws {
        var book = Book(space: space)
        let json = #"{"v":2,"alias":{"pubkey":"\#(alice.hex)","color":[1.50],"name":"a"}}"#
        #expect(try book.receive(event(json, identifier: aliasName())) == .applied(.alias(alice, name: "a")))
        let changed = try #require(try book.set(.alias(alice, name: "b"), now: 2))
        #expect(try content(changed) == #"{"v":2,"alias":{"pubkey":"\#(alice.hex)","color":[1.50],"name":"b"}}"#)
        let cleared = try #require(try book.clear("alias:" + alice.hex, now: 3))
        #expect(try content(cleared) == #"{"v":2,"alias":{"pubkey":"\#(alice.hex)","color":[1.50]}}"#)
        #expect(try book.clear("alias:" + alice.hex, now: 4) == nil)
        #expect(try book.clear("alias:" + bob.hex, now: 4) == nil)
    }

    @Test(
        "is ignored when its JSON is wrong",
        arguments: [
            "{}", "[]", "", "{", #"{"alias":{}}"#, #"{"alias":{"pubkey":"AB"}}"#,
            #"{"alias":{"pubkey":"KEY","name":" \n"}}"#,
            #"{"alias":{"pubkey":"KEY","name":""}}"#, #"{"alias":{"pubkey":"KEY","name":7}}"#, #"{"alias":"KEY"}"#,
            #"{"alias":{"pubkey":"UPPER"}}"#, #"{"alias":{"pubkey":" KEY"}}"#,
            #"{"alias":{"pubkey":"KEY"},"archive":{"sessionID":"a","archived":true}}"#,
            #"{"archive":{"sessionID":"","archived":true}}"#, #"{"archive":{"sessionID":" a","archived":true}}"#,
            #"{"archive":{"sessionID":"a"}}"#, #"{"archive":{"sessionID":"a","archived":"true"}}"#,
            #"{"archive":{"sessionID":"a","archived":null}}"#,
        ]
    )
    func malformed(json: String) throws {
        let json = json.replacing("UPPER", with: alice.hex.uppercased()).replacing("KEY", with: alice.hex)
        #expect(throws: PreferencesError.self) {
            try PreferenceSpace.read(Array(json.utf8), as: LinkstrPreference.self)
        }
    }

    @Test("is ignored when its event is another's, of another kind or under another name")
    func foreign() throws {
        let json = #"{"alias":{"pubkey":"\#(alice.hex)","name":"a"}}"#
        func problem(_ event: Event) -> PreferencesError? {
            do throws(PreferencesError) {
                _ = try space.decode(event, as: LinkstrPreference.self)
                return nil
            } catch {
                return error
            }
        }
        #expect(problem(try event(json, identifier: aliasName())) == nil)
        #expect(problem(try event(json, identifier: aliasName(bob))) == .otherItem)
        #expect(problem(try event(json, identifier: "other/" + aliasName())) == .foreignNamespace)
        #expect(problem(try event(json, identifier: aliasName(), kind: 30_079)) == .foreignEvent)
        #expect(problem(try event(json, identifier: aliasName(), by: KeyPair.generate())) == .foreignEvent)
        let plain = Event(
            kind: .applicationData,
            content: json,
            tags: [Tag("d", aliasName())],
            createdAt: 1,
            signedBy: me
        )
        guard case .undecryptable = problem(plain) else {
            Issue.record("what is not encrypted was read")
            return
        }
    }

    @Test("is refused when it does not fit into one event")
    func size() throws {
        #expect(throws: PreferencesError.self) {
            try space.encode(LinkstrPreference.alias(alice, name: String(repeating: "a", count: 65_536)), createdAt: 1)
        }
        #expect(throws: Never.self) {
            try space.encode(LinkstrPreference.alias(alice, name: String(repeating: "a", count: 60_000)), createdAt: 1)
        }
    }
}
