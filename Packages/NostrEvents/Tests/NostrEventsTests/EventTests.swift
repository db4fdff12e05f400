import NostrCrypto
import NostrEvents
import Testing

@Test func aSignedEventVerifiesWhenItIsReadBack() throws {
    let keys = try keyPair()
    let tags = [Tag("p", keys.publicKey.hex), Tag("-"), Tag("t", "", "third")]
    let event = Event(
        kind: .textNote,
        content: "a \"b\"\n\u{1F642}",
        tags: tags,
        createdAt: 1_700_000_000,
        signedBy: keys
    )
    let back = try Event(json: event.json)
    #expect(back.id == event.id)
    #expect(back.publicKey == keys.publicKey)
    #expect(back.kind == .textNote)
    #expect(back.createdAt == 1_700_000_000)
    #expect(back.content == "a \"b\"\n\u{1F642}")
    #expect(Array(back.tags) == tags)
    #expect(back.tags.count == 3)
    #expect(back.signature == event.signature)
    #expect(back.json == event.json)
}

@Test func theIDIsTheHashOfTheSerialisation() throws {
    let keys = try keyPair()
    let rumor = Rumor(
        pubkey: keys.publicKey.bytes,
        kind: 30_023,
        content: "/\u{7F}\u{2028}\u{1}\u{1F}\t",
        tags: [Tag("d", "a\\b"), Tag("")],
        createdAt: 0
    )
    let expected = referenceSerialisation(
        pubkey: keys.publicKey.hex,
        createdAt: 0,
        kind: 30_023,
        tags: [["d", "a\\b"], [""]],
        content: "/\u{7F}\u{2028}\u{1}\u{1F}\t"
    )
    #expect(String(decoding: rumor.canonicalBytes, as: UTF8.self) == expected)
    #expect(rumor.id == EventID(SHA256.hash(expected)))
}

@Test func eachForgedPartHasItsOwnError() throws {
    let good = try EventText()
    let other = try keyPair(2)
    #expect(throws: Never.self) { try Event(json: good.text) }
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("content", "\"x\"").text) }
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("kind", "2").text) }
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("created_at", "1700000001").text) }
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("tags", "[]").text) }
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("pubkey", "\"\(other.publicKey)\"").text) }
    let zeros = "\"" + String(repeating: "0", count: 64) + "\""
    #expect(throws: EventError.idMismatch) { try Event(json: good.with("id", zeros).text) }
    let badSignature = "\"" + String(repeating: "0", count: 128) + "\""
    #expect(throws: EventError.invalidSignature) { try Event(json: good.with("sig", badSignature).text) }

    // A signature of somebody else over the right id.
    let wire = try WireEvent(json: good.text)
    let foreign = other.sign(wire.id.bytes)
    #expect(throws: EventError.invalidSignature) { try Event(json: good.with("sig", "\"\(foreign)\"").text) }

    // A public key that is on no point, with an id that fits it.
    let offCurve = try Bytes32(hex: String(repeating: "f", count: 64))
    let rumor = Rumor(pubkey: offCurve, kind: 1, content: "", createdAt: 1)
    var text = String(decoding: rumor.json, as: UTF8.self)
    text.removeLast()
    #expect(throws: EventError.invalidPublicKey) { try Event(json: text + ",\"sig\":\(badSignature)}") }
}

@Test func aKnownKeyIsUsedOnlyForItsOwnEvents() throws {
    let wire = try WireEvent(json: EventText().text)
    let owner = try keyPair().publicKey
    let other = try keyPair(2).publicKey
    #expect(try Event(verifying: wire, by: owner).id == wire.id)
    #expect(throws: EventError.invalidPublicKey) { try Event(verifying: wire, by: other) }
    let cache = PublicKeyCache(capacity: 2)
    for _ in 0..<2 { #expect(try Event(verifying: wire, keys: cache).publicKey == owner) }
    #expect(cache.count == 1)
    let forged = try WireEvent(json: EventText().with("content", "\"x\"").text)
    #expect(throws: EventError.idMismatch) { try Event(verifying: forged, keys: cache) }
}

@Test func aRumorIsSignedOnlyByItsAuthor() throws {
    let keys = try keyPair()
    let other = try keyPair(2)
    let rumor = Rumor(pubkey: keys.publicKey.bytes, kind: .chatMessage, content: "x", createdAt: 5)
    let event = try Event(signing: rumor, with: keys)
    #expect(try Event(json: event.json).id == rumor.id)
    #expect(throws: EventError.invalidPublicKey) { try Event(signing: rumor, with: other) }
}

@Test func aRumorNeedsNoIDButHasTheRightOneAndNoSignature() throws {
    let text = try EventText()
    let event = try WireEvent(json: text.text)
    #expect(try Rumor(json: text.without("sig").text).id == event.id)
    #expect(try Rumor(json: text.without("sig").without("id").text).id == event.id)
    #expect(throws: EventError.unexpectedSignature) { try Rumor(json: text.text) }
    #expect(throws: EventError.idMismatch) { try Rumor(json: text.without("sig").with("content", "\"\"").text) }
    #expect(throws: EventError.missingField(.kind)) { try Rumor(json: text.without("sig").without("kind").text) }
    #expect(throws: EventError.malformedJSON(.trailingBytes, at: 0)) {
        do throws(EventError) { _ = try Rumor(json: text.without("sig").text + "x") } catch {
            throw error.kindOfProblem
        }
    }
    let rumor = try Rumor(json: text.without("sig").text)
    #expect(try Rumor(json: rumor.json) == rumor)
}

@Test func timesOutsideTheRangeAreBroughtIntoIt() throws {
    let key = try keyPair().publicKey.bytes
    #expect(Rumor(pubkey: key, kind: 1, content: "", createdAt: -5).createdAt == 0)
    let last = Rumor(pubkey: key, kind: 1, content: "", createdAt: .max)
    #expect(last.createdAt == 9_007_199_254_740_991)
    #expect(try Rumor(json: last.json) == last)
}

extension EventError {
    /// The error without the offset in it.
    var kindOfProblem: EventError {
        if case .malformedJSON(let problem, _) = self { .malformedJSON(problem, at: 0) } else { self }
    }
}

@Test func aSmallEventReadsTheSameFromALargeMessage() throws {
    let text = try EventText()
    let expected = try Event(json: text.text)
    for excess in [0, 900, 1_100, 100_000] {
        let message = "[\"EVENT\",\"s\", \(text.text),\"" + String(repeating: "x", count: excess) + "\"]"
        guard case .event(_, let wire) = try RelayMessage(json: message) else {
            Issue.record("not an event")
            return
        }
        let event = try Event(verifying: wire)
        #expect(event.id == expected.id)
        #expect(event.content == expected.content)
        #expect(Array(event.tags) == Array(expected.tags))
    }
}
