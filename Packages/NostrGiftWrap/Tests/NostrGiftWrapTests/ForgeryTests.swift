import NostrCrypto
import NostrEvents
import NostrGiftWrap
import Testing

/// Makes wraps by hand, with one thing wrong in each.
struct Forger {
    var outerKind: Kind = .giftWrap
    var sealKind: Kind = .seal
    var sealTags: [Tag] = []
    var sealer = alice
    var rumorJSON: String?
    var sealJSON: ((Event) -> String)?
    var recipientOfSeal = bob.publicKey

    func wrap(_ rumor: Rumor = note()) throws -> Event {
        let json = rumorJSON ?? String(decoding: rumor.json, as: UTF8.self)
        let sealed = try NIP44.encrypt(json, with: ConversationKey(sealer.secretKey, recipientOfSeal))
        let seal = Event(kind: sealKind, content: sealed, tags: sealTags, createdAt: now, signedBy: sealer)
        let text = sealJSON?(seal) ?? String(decoding: seal.json, as: UTF8.self)
        let throwAway = KeyPair.generate()
        return Event(
            kind: outerKind,
            content: try NIP44.encrypt(text, with: ConversationKey(throwAway.secretKey, bob.publicKey)),
            tags: [Tag("p", bob.publicKey.hex)],
            createdAt: now,
            signedBy: throwAway
        )
    }
}

/// Each check has an input that only it can catch, and the same input without the fault is accepted.
@Suite("A forged gift wrap is refused with what is wrong")
struct ForgeryTests {
    let opener = GiftWrapOpener(owner: bob)

    private func refusal(_ forger: Forger, _ rumor: Rumor = note()) throws -> GiftWrapError? {
        do {
            _ = try opener.open(forger.wrap(rumor).wire)
            return nil
        } catch let error as GiftWrapError {
            return error
        }
    }

    private func edited(_ event: [UInt8], _ old: String, _ new: String) -> String {
        String(decoding: event, as: UTF8.self).replacing(old, with: new)
    }

    @Test("and the control is accepted")
    func control() throws {
        #expect(try refusal(Forger()) == nil)
    }

    @Test("when its id is not its hash or its signature is another's")
    func outer() throws {
        let wrap = try Forger().wrap()
        let other = try Forger().wrap()
        let wrongID = try WireEvent(json: edited(wrap.json, wrap.id.hex, other.id.hex))
        #expect(throws: GiftWrapError.invalidWrap(.idMismatch)) { try opener.open(wrongID) }
        let wrongSignature = try WireEvent(json: edited(wrap.json, wrap.signature.hex, other.signature.hex))
        #expect(throws: GiftWrapError.invalidWrap(.invalidSignature)) { try opener.open(wrongSignature) }
        #expect(try opener.open(try WireEvent(json: wrap.json)).rumor == note())
    }

    @Test("when the outer event is of another kind")
    func outerKind() throws {
        #expect(try refusal(Forger(outerKind: 1)) == .notAWrap(1))
        #expect(try refusal(Forger(outerKind: .ephemeralGiftWrap)) == nil)
    }

    @Test("when it is for somebody else")
    func otherRecipient() throws {
        let wrap = try Forger().wrap()
        #expect(throws: GiftWrapError.undecryptableWrap(.nip44(.wrongMAC))) {
            try GiftWrapOpener(owner: mallory).open(wrap)
        }
    }

    @Test("when the seal is no event or of another kind")
    func sealKind() throws {
        #expect(try refusal(Forger(sealKind: 1)) == .notASeal(1))
        guard case .malformedSeal = try refusal(Forger(sealJSON: { _ in "{}" })) else {
            Issue.record("no event was taken for a seal")
            return
        }
    }

    @Test("when the seal is unsigned, signed by another or has another's id")
    func sealSignature() throws {
        let other = Event(kind: .seal, content: "x", createdAt: now, signedBy: alice)
        let unsigned = Forger(sealJSON: { edited($0.json, ",\"sig\":\"\($0.signature.hex)\"", "") })
        #expect(try refusal(unsigned) == .malformedSeal(.missingField(.signature)))
        let wrongSignature = Forger(sealJSON: { edited($0.json, $0.signature.hex, other.signature.hex) })
        #expect(try refusal(wrongSignature) == .invalidSeal(.invalidSignature))
        let wrongID = Forger(sealJSON: { edited($0.json, $0.id.hex, other.id.hex) })
        #expect(try refusal(wrongID) == .invalidSeal(.idMismatch))
        let otherAuthor = Forger(sealJSON: { edited($0.json, $0.pubkey.hex, mallory.publicKey.hex) })
        #expect(try refusal(otherAuthor) == .invalidSeal(.idMismatch))
    }

    @Test("when the seal has tags, but for a lone expiration around a chat message")
    func sealTags() throws {
        #expect(try refusal(Forger(sealTags: [Tag("p", bob.publicKey.hex)])) == .sealTags)
        let expiring = Forger(sealTags: [Expiration.tag(at: now)])
        #expect(try refusal(expiring) == nil)
        #expect(try refusal(expiring, note(kind: 44_001)) == .sealTags)
        #expect(try refusal(Forger(sealTags: [Expiration.tag(at: now), Tag("x")])) == .sealTags)
        #expect(try refusal(Forger(), note(kind: 44_001)) == nil)
    }

    @Test("when the seal was made for another recipient")
    func sealRecipient() throws {
        #expect(try refusal(Forger(recipientOfSeal: mallory.publicKey)) == .undecryptableSeal(.nip44(.wrongMAC)))
    }

    @Test("when the rumor is no event, has another's id, or a signature, even an empty one")
    func rumor() throws {
        let json = note().json
        let text = String(decoding: json, as: UTF8.self)
        guard case .malformedRumor = try refusal(Forger(rumorJSON: "[]")) else {
            Issue.record("no event was taken for a rumor")
            return
        }
        #expect(try refusal(Forger(rumorJSON: edited(json, note().id.hex, note("b").id.hex))) == .rumorIDMismatch)
        #expect(try refusal(Forger(rumorJSON: text.dropLast() + #","sig":""}"#)) == .signedRumor)
        let signed = try Event(signing: note(), with: alice)
        #expect(try refusal(Forger(rumorJSON: signed.description)) == .signedRumor)
        #expect(try refusal(Forger(rumorJSON: text)) == nil)
    }

    @Test("when the rumor names another author than the sealer", arguments: [14, 15, 7, 44_001] as [Kind])
    func author(kind: Kind) throws {
        #expect(try refusal(Forger(sealer: mallory), note(kind: kind)) == .forgedAuthor)
        #expect(try refusal(Forger(sealer: mallory), note(by: mallory, kind: kind)) == nil)
    }
}
