import Foundation
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

/// Events that `scripts/generate-cases.py` made with nostr-sdk and coincurve.
private struct EventCases: Decodable {
    struct Valid: Decodable {
        let event: Fields
        let spellings: [String]
    }

    struct Fields: Decodable {
        let id: String
        let pubkey: String
        let created_at: Int64
        let kind: UInt16
        let tags: [[String]]
        let content: String
        let sig: String
    }

    struct Forged: Decodable {
        let problem: String
        let json: String
    }

    struct Scalars: Decodable {
        struct Block: Decodable {
            let first: UInt32
            let last: UInt32
            let id: String
        }

        let pubkey: String
        let blocks: [Block]
    }

    let valid: [Valid]
    let forged: [Forged]
    let scalars: Scalars

    static func read() throws -> EventCases {
        try Cases.table("events", of: "NostrEvents")
    }
}

@Test func eventsThatPeersSignedVerifyInEverySpelling() throws {
    let cases = try EventCases.read()
    #expect(cases.valid.count >= 20)
    for valid in cases.valid {
        let expected = valid.event
        #expect(valid.spellings.count == 4)
        for spelling in valid.spellings {
            let event = try Event(json: spelling)
            #expect(event.id.hex == expected.id)
            #expect(event.publicKey.hex == expected.pubkey)
            #expect(event.createdAt == expected.created_at)
            #expect(event.kind.rawValue == expected.kind)
            #expect(event.signature.hex == expected.sig)
            #expect(Array(event.content.utf8) == Array(expected.content.utf8))
            #expect(Array(event.tags) == expected.tags.compactMap { Tag(elements: $0) })
        }
        // Made here of the same fields it has the id that nostr-sdk computed.
        let rumor = Rumor(
            pubkey: try Bytes32(hex: expected.pubkey),
            kind: Kind(rawValue: expected.kind),
            content: expected.content,
            tags: expected.tags.compactMap { Tag(elements: $0) },
            createdAt: expected.created_at
        )
        #expect(rumor.id.hex == expected.id)
    }
}

@Test func eventsThatPeersRefuseAreRefusedForTheRightReason() throws {
    let cases = try EventCases.read()
    let problems: [String: EventError] = [
        "idMismatch": .idMismatch, "invalidSignature": .invalidSignature, "invalidPublicKey": .invalidPublicKey,
    ]
    var seen: Set<String> = []
    for forged in cases.forged {
        seen.insert(forged.problem)
        // It is well formed: nothing but the proof is wrong.
        let event = try WireEvent(json: forged.json)
        #expect(throws: try #require(problems[forged.problem])) { try Event(verifying: event) }
    }
    #expect(seen.count == problems.count)
}

@Test func contentsOfAllScalarsHaveTheIDsThatPeersCompute() throws {
    let cases = try EventCases.read().scalars
    let key = try Bytes32(hex: cases.pubkey)
    var wrong: [UInt32] = []
    var count = 0
    for (index, block) in cases.blocks.enumerated() {
        let scalars = (block.first...block.last).compactMap { Unicode.Scalar($0) }
        count += scalars.count
        let tags = index == 0 ? scalars.prefix(128).map { Tag("t", String($0), "") } : []
        var content = String.UnicodeScalarView()
        content.append(contentsOf: scalars)
        let rumor = Rumor(pubkey: key, kind: 1, content: String(content), tags: tags, createdAt: 1)
        if rumor.id.hex != block.id { wrong.append(block.first) }
        // Read back it is the same, which hashes the text in place.
        if try Rumor(json: rumor.json).id.hex != block.id { wrong.append(block.first) }
    }
    #expect(wrong == [])
    #expect(count == 1_112_064)
}
