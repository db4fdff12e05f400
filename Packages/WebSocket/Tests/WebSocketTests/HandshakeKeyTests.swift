import Testing

@testable import WebSocket

@Test func theAnswerToAKeyIsTheOneOfTheRFC() throws {
    let key = try #require(HandshakeKey("dGhlIHNhbXBsZSBub25jZQ=="))
    #expect(key.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
}

@Test(
    arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ===",
        "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZ!==", "dGhlIHNhbXBsZSBub25jZWFhYQ==",
    ])
func aKeyThatIsNotTheBase64OfSixteenBytesIsRefused(text: String) {
    #expect(HandshakeKey(text) == nil)
}

@Test func aRandomKeyIsAValidKey() {
    let key = HandshakeKey(random: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    #expect(key.text == "AAECAwQFBgcICQoLDA0ODw==")
    #expect(HandshakeKey(key.text) == key)
}

/// Digests made with Python's hashlib.
@Test(arguments: [
    (0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"), (3, "7e240de74fb1ed08fa08d38063f6a6a91462a815"),
    (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"), (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"), (119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
])
func sha1AgreesWithKnownDigests(count: Int, digest: String) {
    let hex = SHA1.hash([UInt8](repeating: 0x61, count: count)).map { byte -> String in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }
    #expect(hex.joined() == digest)
}
