import NostrCrypto
import NostrEvents
import Testing

@Suite("Keys that people type")
struct TypedKeyTests {
    private static let npub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
    private static let hex = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"
    private static let otherNpub = "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6"
    private static let otherHex = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"
    private static let otherProfile =
        "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9"
        + "ejuumpv34kytnrdaksjlyr9p"
    /// The last character is another one.
    private static let broken = String(npub.dropLast()) + "q"

    @Test(arguments: [
        (npub, hex),
        (npub.uppercased(), hex),
        ("  \n\t\(npub) \u{a0}", hex),
        ("nostr:\(npub)", hex),
        ("NOSTR:\(npub)", hex),
        (" nostr:\(otherProfile) ", otherHex),
        (otherProfile, otherHex),
        (hex, hex),
        (hex.uppercased(), hex),
        (" nostr:\(hex)\n", hex),
        ("add me: \(npub), thanks", hex),
        ("\u{1f44d}\(npub)\u{1f44d}", hex),
        ("first \(broken) then \(otherNpub) and \(npub)", otherHex),
        ("npub1npub1\(npub)", hex),
        ("see \(otherProfile).", otherHex),
        ("https://example.com/add?npub=\(npub)", hex),
        ("https://example.com/\(npub)/feed", hex),
        ("https://example.com/add?a=b&NPUB=\(hex)#top", hex),
        ("https://example.com/add?npub=%6epub1\(npub.dropFirst(5))", hex),
        ("https://example.com/add?npub=+nostr%3a%4E\(npub.uppercased().dropFirst())&c", hex),
        ("https://example.com/add?npub=\(broken)&npub=\(otherHex)", otherHex),
    ])
    func aKeyIsFound(text: String, expected: String) throws {
        #expect(try PublicKey(typed: text).hex == expected)
    }

    @Test(
        arguments: [
            "",
            "   ",
            "not-an-npub",
            "nostr:",
            "nostr:npub1invalid",
            broken,
            "Npub1" + npub.dropFirst(5),
            npub.dropLast() + " " + npub.suffix(1),
            "npub1",
            "npub1" + String(repeating: "q", count: 6_000),
            hex.dropLast() + "",
            hex + "00",
            "the key is \(hex)",
            // No point of the curve has this coordinate.
            String(repeating: "0", count: 64),
            "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
            "note1" + npub.dropFirst(5),
            "https://example.com/add?npub",
            "https://example.com/add?npub=",
            "https://example.com/add?npub=%",
            "https://example.com/add?npub=%zz&npub=%6",
            "https://example.com/add?key=\(hex)",
            "https://example.com/add#?npub=\(hex)x",
            "?", "?&&==&", "nostr:?npub=%ff%fe",
        ] as [String]
    )
    func noKeyIsFound(text: String) {
        #expect(throws: EventError.invalidIdentifier(.noPublicKey)) { try PublicKey(typed: text) }
    }

    @Test func textIsSearchedUpToALimit() throws {
        let spaces = String(repeating: " ", count: PublicKey.maximumTypedLength - Self.npub.utf8.count)
        #expect(try PublicKey(typed: spaces + Self.npub).hex == Self.hex)
        #expect(throws: EventError.invalidIdentifier(.textTooLong(limit: PublicKey.maximumTypedLength))) {
            try PublicKey(typed: " " + spaces + Self.npub)
        }
    }

    @Test func manyFalseBeginningsCostLittle() {
        let start = ContinuousClock.now
        for text in ["npub1", "nprofile1qqqqqqqqqqqqqqqqqqqqqqqq", "npub1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "n", "q"] {
            let many = String(repeating: text, count: PublicKey.maximumTypedLength / text.utf8.count)
            #expect(throws: EventError.invalidIdentifier(.noPublicKey)) { try PublicKey(typed: many) }
        }
        // Quadratic work would take minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
