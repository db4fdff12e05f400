import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

extension ScenarioTests {
    /// What goes into rumors and what comes out of them, before anything is decided.
    static let rumors: [Scenario] = [
        Scenario(1, "Given a post to {C,P} by C, When planned, Then its recipients are exactly C and P.") { _ in
            let device = try await Device(owner: creator)
            try await device.take(make.create([creator, peer], at: 100))
            let log = try #require(try await device.store.log(films))
            #expect(try planner(creator).post(links, in: log).recipients == [creator, peer])
        },
        Scenario(4, "Given a rumor of kind root, Then tags are empty and no signature member exists.") { device in
            try await device.take(make.create(all, at: 100))
            let log = try #require(try await device.store.log(films))
            let rumor = try planner(owner).post(links, in: log).rumor
            #expect(rumor.tags.isEmpty)
            #expect(try JSONValue(json: rumor.json)["sig"] == nil)
            #expect(try JSONValue(json: rumor.json)["id"] == .string(rumor.id.hex))
        },
        Scenario(5, "Given a rumor of kind reaction for R, Then its only tag is [e, R, empty, root].") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root)
            let log = try #require(try await device.store.log(films))
            let post = try #require(try await device.posts().first?.post)
            let rumor = try planner(owner).react(to: post, "👍", isActive: true, in: log).rumor
            #expect(Array(rumor.tags) == [Tag("e", root.id.hex, "", "root")])
        },
        Scenario(6, "Given the vectors of the protocol, When ids are computed, Then they match.") { _ in
            let session = try #require(SessionID("0A1B2C3D4E5F60718293A4B5C6D7E8F9"))
            func rumor(_ body: Payload.Body, _ tags: [NostrEvents.Tag], at time: Int64) -> Rumor {
                let content = Payload(session: session, body: body, timestamp: time).json
                return Rumor(
                    pubkey: PayloadTests.one,
                    kind: Payload.kind,
                    content: content,
                    tags: tags,
                    createdAt: time
                )
            }
            let post = rumor(.root(url: try WebURL("https://example.com/a"), note: "hi"), [], at: 1_700_000_000)
            #expect(post.id.hex == "490e3877b66013ca81f6b041e8810fc1aff90c72fe8aa52a9d4fa2e8049348df")
            let reaction = rumor(
                .reaction(root: post.id.hex, emoji: "👍", isActive: true),
                [NostrEvents.Tag("e", post.id.hex, "", "root")],
                at: 1_700_000_100
            )
            #expect(reaction.id.hex == "e6162a60e034419fdb20ecedc4bc37d490596fab6030c53b3387499f2b565aff")
        },
        Scenario(10, "Given a rumor author different from the seal signer, Then dropped for each of the six kinds.") {
            _ in
            let list = #""session_name":"A","member_pubkeys":["\#(peer.hex)"]"#
            for rest in [
                #""session_create",\#(list)"#, #""session_members",\#(list)"#, #""session_delete""#,
                #""root","url":"https://example.com""#, #""root_delete""#,
                #""reaction","emoji":"👍","reaction_active":true"#,
            ] {
                let id = rest.hasPrefix(#""root","#) ? "" : id("r").hex
                let json = #"{"conversation_id":"S","root_id":"\#(id)","kind":\#(rest)}"#
                let parts = Fact.Parts(
                    id: EventID(Bytes32.zero),
                    pubkey: peer,
                    time: 110,
                    kind: Payload.kind,
                    content: json
                )
                #expect(throws: Never.self) { try Fact(parts, sender: peer, isOnCurve: { _ in true }) }
                #expect(throws: PayloadError.senderMismatch) {
                    try Fact(parts, sender: other, isOnCurve: { _ in true })
                }
            }
        },
        Scenario(13, "Given rumor kind 14, When received, Then it never enters a session.") { _ in
            let content = #"{"conversation_id":"S","root_id":"","kind":"session_delete"}"#
            func parts(_ kind: Kind) -> Fact.Parts {
                Fact.Parts(id: id("x"), pubkey: peer, time: 1, kind: kind, content: content)
            }
            #expect(throws: Never.self) { try Fact(parts(44_001), sender: peer) }
            for kind in [14, 15, 7, 44_002] as [Kind] {
                #expect(throws: PayloadError.wrongKind) { try Fact(parts(kind), sender: peer) }
            }
        },
        Scenario(15, "Given payload keys in any order, escaped slashes and unknown members, Then accepted.") { _ in
            let json = #"{"x":[{}],"url":"https:\/\/example.com\/","kind":"root","root_id":"","conversation_id":"S"}"#
            let url = try WebURL("https://example.com/")
            #expect(fact(json)?.statement == .root(url: url, note: nil))
        },
        Scenario(16, "Given no timestamp, Then accepted; given text instead of an integer, Then dropped.") { _ in
            func root(_ rest: String) -> Fact? {
                fact(#"{"conversation_id":"S","root_id":"","kind":"root","url":"https://example.com"\#(rest)}"#)
            }
            #expect(root("")?.time == 110)
            #expect(root(#","timestamp":5"#)?.time == 110, "never used for ordering")
            #expect(root(#","timestamp":"5""#) == nil)
        },
        Scenario(17, "Given the same rumor from three relays, When received, Then applied once.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100))
            #expect(try await device.take(root, root, root, source: .live).outcomes == [.kept, .known, .known])
            #expect(try await device.take(root, source: .live).effects.isEmpty)
            #expect(try await device.times() == [110])
        },
        Scenario(18, "Given the same root in two wraps, Then one post holds both wrap ids, in arrival order.") {
            device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100))
            for name in ["second", "first", "second"] {
                let wrap = WrapReference(id: id(name), recipient: owner)
                _ = try await device.store.apply([Arrival(root, source: .live, wraps: [wrap])], now: 0)
            }
            #expect(try await device.store.wraps(of: root.id).map(\.id) == ["second", "first"].map(id))
            #expect(try await device.times() == [110])
        },
        Scenario(19, "Given a restart for the same account, When history repeats, Then nothing is applied again.") {
            device in
            let facts = [make.create(all, at: 100), make.root(at: 110), make.root(by: creator, at: 120)]
            try await device.take(facts)
            let again = try await device.restarted()
            #expect(try await again.store.isKnown(facts[1].id))
            let applied = try await again.take(facts)
            #expect(applied.outcomes == [.known, .known, .known])
            #expect(applied.effects.isEmpty)
        },
        Scenario(20, "Given another account, When history arrives, Then nothing counts as known.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root)
            let second = try await Device(owner: peer)
            #expect(try await !second.store.isKnown(root.id))
            #expect(try await second.take(make.create(all, at: 100), root).outcomes == [.kept, .kept])
        },
        Scenario(60, "Given waiting facts, When the restore completes, Then they count as they did before.") { _ in
            let device = try await Device(isRestored: false)
            try await device.take(make.root(at: 110), make.members([creator, owner], at: 120))
            #expect(try await device.times().isEmpty)
            try await device.take(make.create(all, at: 100))
            #expect(try await device.times() == [110])
            _ = try await device.store.completeRestore()
            #expect(try await device.times() == [110])
            #expect(try await device.members() == [creator, owner])
        },
    ]
}
