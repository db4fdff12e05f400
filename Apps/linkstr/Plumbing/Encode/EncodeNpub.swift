import CommandKit
import NostrCrypto
import NostrEvents

enum EncodeNpub {
    private static let keys = VariadicArgument("KEY", .text, minimum: 1, "A public key in any form; - reads lines")

    static let command = Command(
        "npub",
        "Write a public key as npub",
        takes: [Encoding.uri, keys],
        examples: [
            Example(
                "linkstr encode npub 79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
                "Prints npub1..."
            ),
            Example("linkstr key public @me.key | linkstr encode npub -", "Reads keys from standard input"),
        ]
    ) { call in
        try Encoding.run(call, call[keys]) { .npub(try PublicKey(typed: $0)) }
    }
}
