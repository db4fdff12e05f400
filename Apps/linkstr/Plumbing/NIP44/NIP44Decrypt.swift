import CommandKit
import NostrCrypto

enum NIP44Decrypt {
    private static let from = RequiredOption("from", .publicKey, "The sender")
    private static let payload = OptionalArgument(
        "PAYLOAD",
        .text,
        "What to decrypt; without it, or as -, standard input with a payload on each line"
    )

    static let command = Command(
        "decrypt",
        "Decrypt payloads into texts",
        details: [
            "Each text is followed by a line feed, unless --raw. A terminal gets marks instead of control characters, "
                + "unless --raw.",
            "A payload says nothing about who made it: check the signature of the event that carried it.",
            Secret.help,
        ],
        takes: [Secret.option, from, NIP44Options.raw, Passphrase.file, payload],
        examples: [
            Example("linkstr nip44 decrypt --sec @me.key --from npub1... < payload.txt", "Prints the text"),
            Example(
                "linkstr nip44 decrypt --sec @me.key --from npub1... --json < payloads.txt",
                "Prints {\"plaintext\":...} for each line"
            ),
        ]
    ) { call in
        let key = ConversationKey(try Secret.key(call[Secret.option], call), call[from])
        func print(_ payload: String) throws {
            try NIP44Options.print(try NIP44.decrypt(payload, with: key), as: "plaintext", call)
        }
        if let payload = call[payload], payload != "-" {
            try print(payload)
        } else {
            try LineStream(call, of: "payloads").forEach { bytes in try print(NIP44Options.text(bytes)) }
        }
    }
}
