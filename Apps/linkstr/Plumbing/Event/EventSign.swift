import CommandKit
import NostrCrypto
import NostrEvents

enum EventSign {
    static let command = Command(
        "sign",
        "Sign each event",
        details: [
            "Reads JSON lines with at least a kind. created_at is now, tags are none, content is empty and pubkey is "
                + "that of the secret key where they are absent; another pubkey is refused. An id or a signature in "
                + "them is replaced.",
            Secret.help,
        ],
        takes: [Secret.option, Passphrase.file],
        examples: [
            Example(
                #"echo '{"kind":1,"content":"hello"}' | linkstr event sign --sec @me.key"#,
                "Prints the signed event"
            )
        ]
    ) { call in
        let keyPair = KeyPair(try Secret.key(call[Secret.option], call))
        let output = call.console.output
        try LineStream(call, of: "events as JSON lines").forEach { bytes in
            let draft = try EventTemplate.draft(by: keyPair.publicKey, at: Clock.now).read(bytes)
            guard draft.pubkey == keyPair.publicKey.bytes else {
                throw CommandFailure(.badInput, "the event's pubkey is not that of the secret key")
            }
            try output.line(json: Event(signing: draft.rumor, with: keyPair).json)
        }
    }
}
