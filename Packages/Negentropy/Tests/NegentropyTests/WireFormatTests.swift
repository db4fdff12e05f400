import Negentropy
import NostrCrypto
import NostrEvents
import Testing

@Suite struct WireFormatTests {
    private static let one = Samples.item(0, EventID(Bytes32(words: 1, 0, 0, 0)))

    /// A hundred items whose ids are SHA-256 of their number, seven a second; the message was computed by a few lines of
    /// Python from the text of NIP-77.
    @Test func theOpeningOfAKnownSetIsByteForByteAsTheNIPSays() throws {
        let items = (0..<100).map { index in
            Samples.item(
                1_700_000_000 + UInt64(index / 7),
                EventID(SHA256.hash([0, 0, 0, UInt8(index)]))
            )
        }
        let expected =
            "6186aacfe2020001d3a6d329640da057ccc980c7fbb0a00202000124e9f590513d8419052d0f178974058a02000121a1255eb7b7e6a3"
            + "fa761236e7a8005d020001f7a088595ba805c0389ffa179a2923f20101fe0139d482b7967adc8bbc9135dd36d414680201c8019d"
            + "1480f6e1679e00c0ba3d8448786e6f0201ae0119aead0304177672d826ade1e309bf6f02014601e096518750fc4a1314241aa201"
            + "7b7244020140010c43568ba10dead94294af763e88ec9f020203e301d45bdb38c5b1b1f9081281430678dd3c020001e40352f842"
            + "fb49d93b2e1b21ea211ea10101db01c4bfcb56dff20f16320125d4a403edeb0201b301760390c9d04c1a2a132f42ddf89f4d4102"
            + "01b101d349a73a5a64ec5e27d645665a7833050201b701e3cec2ce35d899cb7d466d2ab9abd6c2000001b963e3beb6b82cb4d78e"
            + "1bed2f64917b"
        let client = try NegentropyClient(InMemoryNegentropySet(items))
        #expect(Hex.encode(client.openingMessage) == expected)
    }

    @Test func anEmptySetOpensWithAnEmptyList() throws {
        let client = try NegentropyClient(InMemoryNegentropySet([]))
        #expect(client.openingMessage == [0x61, 0, 0, 2, 0])
    }

    @Test func aServerListsWhatItHasForAnEmptyList() throws {
        let server = try NegentropyServer(InMemoryNegentropySet([Self.one]))
        let answer = try server.respond(to: [0x61, 0, 0, 2, 0])
        #expect(answer == [0x61, 0, 0, 2, 1] + Self.one.id.bytes.array)
    }

    @Test func partsThatTheServerSkipsAreAnsweredWithASkip() throws {
        let server = try NegentropyServer(InMemoryNegentropySet([Self.one]))
        // Up to 100 seconds is skipped, then an empty list to infinity, which is equal; then the same with one item there.
        #expect(try server.respond(to: [0x61, 101, 0, 0, 0, 0, 2, 0]) == [0x61])
        let later = Samples.item(100, EventID(Bytes32(words: 9, 9, 9, 9)))
        let fuller = try NegentropyServer(InMemoryNegentropySet([Self.one, later]))
        #expect(
            try fuller.respond(to: [0x61, 101, 0, 0, 0, 0, 2, 0]) == [0x61, 101, 0, 0, 0, 0, 2, 1]
                + later.id.bytes.array
        )
    }

    @Test(arguments: [UInt8(0x60), 0x62, 0x6f])
    func anotherVersionIsAnsweredWithTheHighestKnownHere(version: UInt8) throws {
        let server = try NegentropyServer(InMemoryNegentropySet([Self.one]))
        #expect(try server.respond(to: [version, 1, 2, 3]) == [0x61])
        #expect(try server.respond(to: [0x61, 0, 0, 2, 0]) != [0x61])
    }

    @Test func aClientNamesTheVersionThatTheServerOffers() throws {
        var client = try NegentropyClient(InMemoryNegentropySet([Self.one]))
        #expect(throws: NegentropyError.unsupportedVersion(0x60)) { try client.receive([0x60]) }
        #expect(NegentropyError.unsupportedVersion(0x60).description.hasSuffix("version 0."))
        #expect(try client.receive([0x61]).next == nil)
    }
}
