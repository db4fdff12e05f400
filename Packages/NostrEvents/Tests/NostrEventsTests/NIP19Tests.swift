import NostrCrypto
import NostrEvents
import TestSupport
import Testing

private struct NIP19Table: Decodable {
    struct Valid: Decodable {
        let text: String
        let type: String
        let key: String?
        let id: String?
        let author: String?
        let kind: UInt16?
        let identifier: String?
        let relays: [String]?

        func named() throws -> NIP19 {
            let relays = relays ?? []
            let author = try author.map { try Bytes32(hex: $0) }
            let kind = kind.map(Kind.init(rawValue:))
            switch type {
            case "npub": return .npub(try PublicKey(hex: #require(key)))
            case "nsec": return .nsec(try SecretKey(hex: #require(key)))
            case "note": return .note(try EventID(hex: #require(id)))
            case "nprofile":
                return .nprofile(ProfileReference(publicKey: try PublicKey(hex: #require(key)), relays: relays))
            case "nevent":
                let id = try EventID(hex: #require(id))
                return .nevent(EventReference(id: id, relays: relays, author: author, kind: kind))
            default:
                return .naddr(
                    AddressReference(
                        kind: try #require(kind),
                        author: try #require(author),
                        identifier: try #require(identifier),
                        relays: relays
                    )
                )
            }
        }
    }
    struct Read: Decodable {
        let what: String
        let text: String
    }
    struct Refused: Decodable {
        let problem: String
        let text: String
    }
    let valid: [Valid]
    let read: [Read]
    let refused: [Refused]
}

@Suite("NIP-19 and NIP-21")
struct NIP19Tests {
    private let table: NIP19Table

    init() throws {
        table = try Cases.table("nip19", of: "NostrEvents")
    }

    @Test func textsOfAPeerAreReadAndWrittenByteForByte() throws {
        #expect(table.valid.count == 24)
        for row in table.valid {
            let expected = try row.named()
            #expect(try NIP19(row.text) == expected)
            #expect(try NIP19(row.text.uppercased()) == expected)
            #expect(try expected.encoded() == row.text)
        }
    }

    @Test func theExamplesOfTheNIPAreRead() throws {
        let npub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
        let key = try PublicKey(hex: "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e")
        #expect(try NIP19(npub) == .npub(key))
        #expect(key.npub == npub)
        let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
        let secret = try SecretKey(hex: "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa")
        #expect(try NIP19(nsec) == .nsec(secret))
        #expect(try NIP19.nsec(secret).encoded() == nsec)
        let profile = ProfileReference(
            publicKey: try PublicKey(hex: "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"),
            relays: ["wss://r.x.com", "wss://djbas.sadkb.com"]
        )
        let nprofile =
            "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9"
            + "ejuumpv34kytnrdaksjlyr9p"
        #expect(try NIP19(nprofile) == .nprofile(profile))
        #expect(try NIP19.nprofile(profile).encoded() == nprofile)
        #expect(try NIP19(uri: "nostr:" + nprofile) == .nprofile(profile))
        #expect(try NIP19.nprofile(profile).uri() == "nostr:" + nprofile)
        let event = try NIP19(
            uri:
                "nostr:nevent1qqstna2yrezu5wghjvswqqculvvwxsrcvu7uc0f78gan4xqhvz49d9spr3mhxue69uhkummnw3ez6un9d3shjtn4de6x2"
                + "argwghx6egpr4mhxue69uhkummnw3ez6ur4vgh8wetvd3hhyer9wghxuet5nxnepm"
        )
        guard case .nevent(let reference) = event else { throw EventError.invalidIdentifier(.unknownPrefix) }
        #expect(reference.relays == ["wss://nostr-relay.untethr.me", "wss://nostr-pub.wellorder.net"])
        let address = try NIP19(
            uri:
                "nostr:naddr1qqyrzwrxvc6ngvfkqyghwumn8ghj7enfv96x5ctx9e3k7mgzyqalp33lewf5vdq847t6te0wvnags0gs0mu72kz8938tn2"
                + "4wlfze6qcyqqq823cph95ag"
        )
        guard case .naddr(let coordinate) = address else { throw EventError.invalidIdentifier(.unknownPrefix) }
        #expect(coordinate.kind == .longFormText)
        #expect(coordinate.author == profile.publicKey.bytes)
    }

    @Test func oddButAllowedTextsAreRead() throws {
        let rows = Dictionary(uniqueKeysWithValues: table.read.map { ($0.what, $0.text) })
        #expect(rows.count == 6)
        for (what, text) in rows {
            #expect(throws: Never.self, "\(what)") { try NIP19(text) }
        }
        guard case .nprofile(let profile) = try NIP19(#require(rows["bad hints"])) else {
            Issue.record("not a profile")
            return
        }
        #expect(profile.relays == ["wss://r.example"])
    }

    @Test func brokenTextsAreRefusedForTheirReason() {
        #expect(table.refused.count == 25)
        for row in table.refused {
            do {
                let read = try NIP19(row.text)
                Issue.record("\(row.text) was read as \(read)")
            } catch .invalidIdentifier(let problem) {
                #expect(Self.name(problem) == row.problem, "\(row.text)")
            } catch {
                Issue.record("\(row.text) was refused as \(error)")
            }
        }
    }

    @Test func aSecretKeyNeverStandsInAURINorInADescription() throws {
        let secret = try keyPair().secretKey
        let text = try NIP19.nsec(secret).encoded()
        #expect(throws: EventError.invalidIdentifier(.secretKeyInURI)) { try NIP19.nsec(secret).uri() }
        #expect(throws: EventError.invalidIdentifier(.secretKeyInURI)) { try NIP19(uri: "nostr:" + text) }
        #expect(try NIP19(text) == .nsec(secret))
        var dumped = ""
        dump(try NIP19(text), to: &dumped)
        for shown in ["\(try NIP19(text))", String(reflecting: try NIP19(text)), dumped] {
            #expect(!shown.contains(text) && !shown.contains("0101"))
        }
    }

    @Test func aURINeedsItsScheme() throws {
        let npub = try keyPair().publicKey.npub
        #expect(try NIP19(uri: "NOSTR:" + npub) == NIP19(npub))
        for text in [npub, "nostr:", "nost:" + npub, "nostr:nostr:" + npub, "nostr: " + npub, ""] {
            #expect(throws: EventError.self) { try NIP19(uri: text) }
        }
    }

    @Test func whatCannotBeWrittenIsRefused() throws {
        let key = try keyPair().publicKey
        func profile(_ relays: [String]) -> NIP19 {
            .nprofile(ProfileReference(publicKey: key, relays: relays))
        }
        func address(_ identifier: String) -> NIP19 {
            .naddr(AddressReference(kind: .longFormText, author: key.bytes, identifier: identifier))
        }
        let longest = String(repeating: "r", count: 255)
        #expect(try NIP19(profile([longest]).encoded()) == profile([longest]))
        #expect(try NIP19(address(longest).encoded()) == address(longest))
        #expect(throws: EventError.invalidIdentifier(.invalidRelayHint)) { try profile([longest + "r"]).encoded() }
        #expect(throws: EventError.invalidIdentifier(.invalidRelayHint)) { try profile(["wss://\u{e9}"]).encoded() }
        #expect(throws: EventError.invalidIdentifier(.invalidRelayHint)) { try profile([""]).encoded() }
        #expect(throws: EventError.invalidIdentifier(.invalidIdentifierText)) { try address(longest + "r").encoded() }
        let tooLong = CryptoError.invalidBech32(.tooLong(limit: NIP19.maximumLength))
        #expect(throws: EventError.invalidIdentifier(.invalidBech32(tooLong))) {
            try profile([String](repeating: longest, count: 13)).encoded()
        }
        #expect(try profile([String](repeating: longest, count: 11)).encoded().utf8.count <= NIP19.maximumLength)
    }

    @Test func mutatedTextsAreReadOrRefusedAndNeverMore() throws {
        var random = SeededGenerator(seed: 19)
        var refused = 0
        for row in table.valid {
            let data = try Bech32.decode(row.text, limit: NIP19.maximumLength).data
            for _ in 0..<200 where !data.isEmpty {
                var changed = data
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch random.next() % 3 {
                case 0: changed[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: changed.removeLast(place)
                default: changed.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
                let text = try Bech32.encode(hrp: row.type, data: changed, limit: NIP19.maximumLength)
                do { _ = try NIP19(text) } catch { refused += 1 }
            }
        }
        #expect(refused > 1_000)
    }

    private static func name(_ problem: IdentifierProblem) -> String {
        switch problem {
        case .invalidBech32: "invalidBech32"
        case .wrongChecksumVariant: "wrongChecksumVariant"
        case .unknownPrefix: "unknownPrefix"
        case .wrongLength: "wrongLength"
        case .invalidKey: "invalidKey"
        case .truncated: "truncated"
        case .missingEntry: "missingEntry"
        case .invalidKind: "invalidKind"
        case .invalidIdentifierText: "invalidIdentifierText"
        default: "another"
        }
    }
}
