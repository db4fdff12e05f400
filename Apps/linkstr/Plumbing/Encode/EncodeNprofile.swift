import CommandKit
import NostrCrypto
import NostrEvents

enum EncodeNprofile {
    private static let keys = VariadicArgument("KEY", .text, minimum: 1, "A public key in any form; - reads lines")

    static let command = Command(
        "nprofile",
        "Write a public key with relays as nprofile",
        takes: [Encoding.relays, Encoding.uri, keys],
        examples: [
            Example(
                "linkstr encode nprofile --relay wss://relay.example.com npub1...",
                "Prints nprofile1... with one relay"
            )
        ]
    ) { call in
        let relays = call[Encoding.relays]
        try Encoding.run(call, call[keys]) { text in
            .nprofile(ProfileReference(publicKey: try PublicKey(typed: text), relays: relays))
        }
    }
}
