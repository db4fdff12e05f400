import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

@Suite("A payload")
struct PayloadTests {
    static let one = try! Bytes32(hex: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
    static let two = try! Bytes32(hex: "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5")
    static let session = SessionID("0A1B2C3D4E5F60718293A4B5C6D7E8F9")!

    @Test("comes back from its own text")
    func roundTrip() throws {
        let bodies: [Payload.Body] = [
            .create(operation: "X", name: "Films / \"quoted\"", members: [Self.one, Self.two]),
            .members(operation: "Y", name: nil, members: [Self.one]),
            .members(operation: "Y", name: "B", members: [Self.two]),
            .sessionDelete(operation: "Z"),
            .root(url: try WebURL("https://example.com/\u{e9}?a=/b"), note: nil),
            .rootDelete(root: String(repeating: "a", count: 64)),
            .reaction(root: String(repeating: "b", count: 64), emoji: "👩‍👩‍👧", isActive: false),
        ]
        for body in bodies {
            let payload = Payload(session: Self.session, body: body, timestamp: 5)
            #expect(try Payload(json: payload.json) == payload)
        }
    }

    @Test("is read in any order, with escapes, unknown members and null as missing")
    func lenient() throws {
        let text = #"""
            {"note":null,"zzz":[1,{"a":"\ud83d\ude00"}],"url":" example.com\/a ","kind":"root","root_id":"  ",
             "conversation_id":" S ","emoji":null,"timestamp":null}
            """#
        let payload = try Payload(json: text)
        #expect(payload.session == SessionID("S"))
        #expect(payload.body == .root(url: try WebURL("https://example.com/a"), note: nil))
        #expect(payload.timestamp == nil)
    }

    static let hex = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

    @Test(
        "is refused with what is wrong",
        arguments: [
            (#"[]"#, PayloadError.notAnObject),
            (#"{"kind":"root"}"#, .missing(.conversationID)),
            (#"{"conversation_id":" ","root_id":"","kind":"session_delete"}"#, .missing(.conversationID)),
            (#"{"conversation_id":"S","kind":"session_delete"}"#, .missing(.rootID)),
            (#"{"conversation_id":"S","root_id":"","kind":"session_leave"}"#, .unknownKind("session_leave")),
            (#"{"conversation_id":"S","root_id":"","kind":"root"}"#, .missing(.url)),
            (#"{"conversation_id":"S","root_id":"","kind":"root","url":"ftp://example.com"}"#, .invalid(.url)),
            (#"{"conversation_id":"S","root_id":"","kind":"root","url":"a.b","timestamp":"1"}"#, .invalid(.timestamp)),
            (#"{"conversation_id":"S","root_id":"","kind":"root","url":"a.b","timestamp":1.5}"#, .invalid(.timestamp)),
            (#"{"conversation_id":"S","root_id":"","kind":"root","url":"a.b","emoji":1}"#, .invalid(.emoji)),
            (#"{"conversation_id":"S","root_id":"","kind":"root_delete"}"#, .missing(.rootID)),
            (
                #"{"conversation_id":"S","root_id":"x","kind":"reaction","emoji":" ","reaction_active":true}"#,
                .missing(.emoji)
            ),
            (#"{"conversation_id":"S","root_id":"x","kind":"reaction","emoji":"a"}"#, .missing(.reactionActive)),
            (
                #"{"conversation_id":"S","root_id":"","kind":"session_create","session_name":"N"}"#,
                .missing(.memberPubkeys)
            ),
            (
                #"{"conversation_id":"S","root_id":"","kind":"session_create","session_name":" ","member_pubkeys":["\#(hex)"]}"#,
                .missing(.sessionName)
            ),
            (
                #"{"conversation_id":"S","root_id":"","kind":"session_members","member_pubkeys":["\#(hex)","00"]}"#,
                .invalid(.memberPubkeys)
            ),
            (
                #"{"conversation_id":"S","root_id":"","kind":"session_members","member_pubkeys":["\#(String(repeating: "f", count: 64))"]}"#,
                .invalid(.memberPubkeys)
            ),
            (
                #"{"conversation_id":"S","root_id":"","kind":"session_members","member_pubkeys":[]}"#,
                .missing(.memberPubkeys)
            ),
        ]
    )
    func refused(text: String, error: PayloadError) {
        #expect(throws: error) { try Payload(json: text) }
    }

    @Test("normalises the keys of a member list and drops repetitions")
    func members() throws {
        let text = #"""
            {"conversation_id":"S","root_id":"","kind":"session_members","session_name":"",
             "member_pubkeys":[" \#(Self.hex.uppercased()) ","\#(Self.hex)","\#(Self.two.hex)"]}
            """#
        #expect(try Payload(json: text).body == .members(operation: "", name: nil, members: [Self.one, Self.two]))
    }

    @Test("makes a fact only when the sender is the rumor's key and a root names no other post")
    func facts() throws {
        func rumor(_ content: String, kind: Kind = Payload.kind) -> Rumor {
            Rumor(pubkey: Self.one, kind: kind, content: content, createdAt: 7)
        }
        let good = rumor(#"{"conversation_id":"S","root_id":"","kind":"root","url":"a.b"}"#)
        #expect(try Fact(good, sender: Self.one).time == 7)
        #expect(throws: PayloadError.senderMismatch) { try Fact(good, sender: Self.two) }
        #expect(throws: PayloadError.wrongKind) { try Fact(rumor(good.content, kind: 14), sender: Self.one) }
        let foreign = rumor(#"{"conversation_id":"S","root_id":"\#(good.id.hex)","kind":"root","url":"a.b"}"#)
        #expect(throws: PayloadError.foreignRootID) { try Fact(foreign, sender: Self.one) }
    }

    @Test("has session ids that name their creator and nobody else")
    func sessionIDs() throws {
        let id = try #require(SessionID("0A1B2C3D4E5F6071FF1C784D5962F740"))
        #expect(id.names(Self.one))
        #expect(!id.names(Self.two))
        #expect(!(try #require(SessionID("0a1b2c3d4e5f6071ff1c784d5962f740")).names(Self.one)))
        #expect(!Self.session.names(Self.one))
        let drawn = SessionID.draw(creator: Self.two)
        #expect(drawn.names(Self.two))
        #expect(drawn.text.count == 32)
        #expect(drawn != SessionID.draw(creator: Self.two))
    }
}
