import NostrCrypto
import NostrEvents
import NostrGiftWrap
import Testing

/// The numbered sentences of linkstr's protocol that speak of wraps.
@Suite("Scenario")
struct ScenarioTests {
    private let creator = alice
    private let peer = bob
    private let reader = GiftWrapReader(opener: GiftWrapOpener(owner: bob))
    private let post = note(#"{"kind":"root"}"#, kind: 44_001)

    private func send(to recipients: [PublicKey]) async throws -> [GiftWrapper.Addressed] {
        try await GiftWrapper(sender: creator).wrap(post, for: recipients, ownCopy: .first, now: now)
    }

    @Test("1. Given a post to {C,P} by C, When sent, Then two wraps exist, p = C and p = P, with different outer keys.")
    func oneWrapEach() async throws {
        let wraps = try await send(to: [creator.publicKey, peer.publicKey])
        #expect(wraps.map { Array($0.event.tags) } == [creator, peer].map { [Tag("p", $0.publicKey.hex)] })
        #expect(Set(wraps.map(\.event.pubkey)).count == 2)
    }

    @Test("2. Given a send to {P} by C, When sent, Then a second wrap addressed to C exists.")
    func ownCopy() async throws {
        let wraps = try await send(to: [peer.publicKey])
        #expect(wraps.map(\.recipient) == [creator.publicKey, peer.publicKey])
        #expect(try GiftWrapOpener(owner: creator).open(wraps[0].event).rumor == post)
    }

    @Test(
        "3. Given any wrap made locally, Then its seal has kind 13, no tags, and times drawn separately from the past."
    )
    func seal() async throws {
        var differ = 0
        for _ in 0..<10 {
            let wrap = try await send(to: [peer.publicKey])[1].event
            let seal = try GiftWrapOpener(owner: peer).open(wrap).seal
            #expect(seal.kind == 13 && seal.tags.isEmpty)
            #expect([seal, wrap].allSatisfy { (now - 172_800...now).contains($0.createdAt) })
            if seal.createdAt != wrap.createdAt { differ += 1 }
        }
        #expect(differ > 5)
    }

    @Test("7. Given a wrap with an invalid outer signature, When received, Then the wrap id is not remembered.")
    func outerSignature() async throws {
        let genuine = try await send(to: [peer.publicKey])[1].event
        let other = try await send(to: [peer.publicKey])[1].event
        let forged = genuine.description.replacing(genuine.signature.hex, with: other.signature.hex)
        #expect(reader.open(try WireEvent(json: forged)).error == .invalidWrap(.invalidSignature))
        #expect(!reader.knows(wrap: genuine.id))
        #expect(reader.open(genuine.wire).message?.rumor == post)
        #expect(reader.knows(wrap: genuine.id))
    }

    @Test("8. Given a seal with a tag, When received, Then dropped.")
    func sealTag() throws {
        #expect(reader.open(try Forger(sealTags: [Tag("x")]).wrap(post)).error == .sealTags)
        #expect(reader.open(try Forger().wrap(post)).message?.rumor == post)
    }

    @Test("9. Given a rumor with an empty signature, When received, Then dropped.")
    func emptySignature() throws {
        let text = String(decoding: post.json, as: UTF8.self)
        #expect(reader.open(try Forger(rumorJSON: text.dropLast() + #","sig":""}"#).wrap()).error == .signedRumor)
        #expect(reader.open(try Forger(rumorJSON: text).wrap()).message?.rumor == post)
    }

    @Test(
        "10. Given a rumor author different from the seal signer, When received, Then dropped for each of the six kinds.",
        arguments: ["session_create", "session_members", "session_delete", "root", "root_delete", "reaction"]
    )
    func forgedAuthor(kind: String) throws {
        let rumor = note(#"{"kind":"\#(kind)"}"#, kind: 44_001)
        #expect(reader.open(try Forger(sealer: mallory).wrap(rumor)).error == .forgedAuthor)
        #expect(reader.open(try Forger().wrap(rumor)).message?.sender == alice.publicKey)
    }

    @Test("11. Given a forged copy dropped, When the genuine event with the same rumor id arrives, Then it is applied.")
    func genuineAfterForged() throws {
        #expect(reader.open(try Forger(sealer: mallory).wrap(post)).error == .forgedAuthor)
        #expect(reader.open(try Forger().wrap(post)).message?.rumor.id == post.id)
    }

    @Test("12. Given a rumor whose id is not its hash, When received, Then dropped.")
    func rumorID() throws {
        let text = String(decoding: post.json, as: UTF8.self)
        let forged = text.replacing(post.id.hex, with: note("other").id.hex)
        #expect(reader.open(try Forger(rumorJSON: forged).wrap()).error == .rumorIDMismatch)
        #expect(reader.open(try Forger(rumorJSON: text).wrap()).message?.rumor == post)
    }

    @Test("14. Given a wrap with extra outer tags, When received, Then accepted.")
    func outerTags() throws {
        let throwAway = KeyPair.generate()
        let seal = try GiftWrapper(sender: alice).seal(post, for: peer.publicKey, now: now)
        let key = ConversationKey(throwAway.secretKey, peer.publicKey)
        let wrap = Event(
            kind: .giftWrap,
            content: try NIP44.encrypt(seal.json, with: key),
            tags: [Tag("p", peer.publicKey.hex), Tag("k", "44001"), Tag("alone"), Tag("nonce", "1", "0")],
            createdAt: now,
            signedBy: throwAway
        )
        #expect(reader.open(wrap.wire).message?.rumor == post)
    }

    @Test("17. Given the same wrap from three relays, When received, Then it is handed over once.")
    func threeRelays() async throws {
        let wrap = try await send(to: [peer.publicKey])[1].event
        let outcomes = (0..<3).map { _ in reader.open(wrap.wire) }
        #expect(outcomes.compactMap(\.message).map(\.rumor) == [post])
        #expect(outcomes.count { if case .known(wrap.id) = $0 { true } else { false } } == 2)
    }

    @Test("21. Given 10,001 processed wraps, When the first repeats, Then it is decrypted again.")
    func evicted() async throws {
        let wraps = try await send(to: [peer.publicKey, mallory.publicKey]).map(\.event)
        guard case .opened = reader.open(wraps[1].wire) else {
            Issue.record("the first was not opened")
            return
        }
        for number in 1..<UInt64(10_000) { reader.remember(wrap: EventID(Bytes32(words: 0, 0, 0, number))) }
        #expect(reader.open(wraps[1].wire).message == nil, "the 10,000th leaves it there")
        reader.remember(wrap: EventID(Bytes32(words: 0, 0, 0, 10_000)))
        #expect(reader.open(wraps[1].wire).message?.rumor == post)
    }
}

extension GiftWrapReader.Outcome {
    fileprivate var message: OpenedGiftWrap? {
        if case .opened(let message) = self { message } else { nil }
    }

    fileprivate var error: GiftWrapError? {
        if case .failed(_, let error) = self { error } else { nil }
    }
}
