import CommandKit
import NostrCrypto
import NostrEvents

enum EncodeNaddr {
    private static let kind = RequiredOption("kind", .kind, "The kind, addressable or replaceable")
    private static let author = RequiredOption("author", .publicKey, "Who writes it")
    private static let identifier = DefaultedOption(
        "identifier",
        short: "d",
        .text,
        default: "",
        "The value of its d tag; empty for a replaceable kind"
    )

    static let command = Command(
        "naddr",
        "Write the address of an addressable event as naddr",
        takes: [kind, author, identifier, Encoding.relays, Encoding.uri],
        examples: [
            Example(
                "linkstr encode naddr --kind 30023 --author npub1... --identifier my-article",
                "Prints naddr1..."
            )
        ]
    ) { call in
        let address = AddressReference(
            kind: call[kind],
            author: call[author].bytes,
            identifier: call[identifier],
            relays: call[Encoding.relays]
        )
        try Encoding.print(.naddr(address), call)
    }
}
