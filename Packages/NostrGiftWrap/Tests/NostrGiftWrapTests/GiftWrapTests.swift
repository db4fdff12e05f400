import NostrCrypto
import NostrEvents
import NostrGiftWrap
import Testing

/// Not the testing library's.
typealias Tag = NostrEvents.Tag

let alice = KeyPair.generate()
let bob = KeyPair.generate()
let mallory = KeyPair.generate()
let now: Int64 = 1_700_000_000

func note(_ text: String = "hello", by author: KeyPair = alice, kind: Kind = 14) -> Rumor {
    Rumor(
        pubkey: author.publicKey.bytes,
        kind: kind,
        content: text,
        tags: [Tag("p", bob.publicKey.hex)],
        createdAt: now
    )
}

@Suite("A gift wrap")
struct GiftWrapTests {
    let wrapper = GiftWrapper(sender: alice)
    let opener = GiftWrapOpener(owner: bob)

    @Test("gives the recipient the rumor and its proven author")
    func roundTrip() async throws {
        let rumor = note()
        let wrap = try await wrapper.wrap(rumor, for: bob.publicKey, now: now)
        let opened = try opener.open(wrap.wire)
        #expect(opened.sender == alice.publicKey)
        #expect(opened.rumor.json == rumor.json)
        #expect(opened.wrapID == wrap.id)
        #expect(opened.seal.kind == .seal && opened.seal.tags.isEmpty)
        #expect(try opener.open(seal: opened.seal.wire).rumor == rumor)
    }

    @Test("shows outsiders a throw-away key, the recipient and a time in the past")
    func outside() async throws {
        var keys: Set<Bytes32> = []
        var offsets: Set<Int64> = []
        for _ in 0..<20 {
            let wrap = try await wrapper.wrap(note(), for: bob.publicKey, now: now)
            let opened = try opener.open(wrap)
            keys.insert(wrap.pubkey)
            offsets.formUnion([now - wrap.createdAt, now - opened.seal.createdAt])
            #expect(Array(wrap.tags) == [Tag("p", bob.publicKey.hex)])
            #expect(wrap.kind == .giftWrap)
        }
        #expect(keys.count == 20 && !keys.contains(alice.publicKey.bytes))
        #expect(offsets.count > 30, "seal and wrap draw their times separately")
        #expect(offsets.allSatisfy { (0...172_800).contains($0) })
    }

    @Test("goes to each recipient once, with the own copy where it was asked for")
    func recipients() async throws {
        let own = alice.publicKey
        let two = [bob.publicKey, mallory.publicKey, bob.publicKey]
        func order(_ recipients: [PublicKey], _ copy: GiftWrapper.OwnCopy) async throws -> [PublicKey] {
            try await wrapper.wrap(note(), for: recipients, ownCopy: copy, now: now).map(\.recipient)
        }
        #expect(try await order(two, .first) == [own, bob.publicKey, mallory.publicKey])
        #expect(try await order(two, .last) == [bob.publicKey, mallory.publicKey, own])
        #expect(try await order(two, .omitted) == [bob.publicKey, mallory.publicKey])
        #expect(try await order([bob.publicKey, own], .first) == [own, bob.publicKey])
        await #expect(throws: GiftWrapError.noRecipients) { try await order([], .first) }
        let all = try await wrapper.wrap(note(), for: two, ownCopy: .first, now: now)
        #expect(all.map(\.isOwnCopy) == [true, false, false])
        #expect(try GiftWrapOpener(owner: alice).open(all[0].event).rumor == note())
        #expect(Set(all.map(\.event.pubkey)).count == 3)
    }

    @Test("can be ephemeral, worked for, expire, and name a relay")
    func options() async throws {
        let options = GiftWrapOptions(
            persistence: .ephemeral,
            backdating: 0...0,
            workBits: 8,
            expiration: now + 60,
            sealCarriesExpiration: true
        )
        let wrap = try await GiftWrapper(sender: alice, options: options)
            .wrap(note(), for: bob.publicKey, relayHint: "wss://relay.example", now: now)
        #expect(wrap.kind == .ephemeralGiftWrap)
        #expect(wrap.createdAt == now)
        #expect(ProofOfWork.difficulty(of: wrap.id) >= 8)
        #expect(wrap.tags.first(named: "p") == Tag("p", bob.publicKey.hex, "wss://relay.example"))
        let opened = try opener.open(wrap)
        #expect(opened.expiration == now + 60)
        #expect(Expiration.time(in: opened.seal.tags) == now + 60)
    }

    @Test("is made for own words only")
    func author() async throws {
        await #expect(throws: GiftWrapError.notTheAuthor) {
            try await wrapper.wrap(note(by: mallory), for: bob.publicKey, now: now)
        }
    }

    @Test("holds about 40 KB without NIP-44's extended length, and more with it")
    func sizes() async throws {
        let large = note(String(repeating: "a", count: 60_000))
        await #expect(throws: GiftWrapError.self) { try await wrapper.wrap(large, for: bob.publicKey, now: now) }
        let options = GiftWrapOptions(encryption: .standard)
        let wrap = try await GiftWrapper(sender: alice, options: options).wrap(large, for: bob.publicKey, now: now)
        #expect(try opener.open(wrap).rumor == large)
        let strict = GiftWrapOpener.Limits(encryption: NIP44.Limits(allowsExtendedLength: false))
        #expect(throws: GiftWrapError.self) { try GiftWrapOpener(owner: bob, limits: strict).open(wrap) }
        let fitting = note(String(repeating: "a", count: 40_000))
        #expect(try opener.open(try await wrapper.wrap(fitting, for: bob.publicKey, now: now)).rumor == fitting)
    }
}
