import CommandKit
import NostrCrypto
import NostrEvents

enum KeyPublic {
    static let command = Command(
        "public",
        "Print the public key of a secret key",
        details: [Secret.help],
        takes: [Secret.argument, Passphrase.file],
        examples: [
            Example("linkstr key public @me.key", "Prints it in hexadecimal"),
            Example("linkstr key generate | linkstr key public - --json", "Reads the secret from standard input"),
        ]
    ) { call in
        let publicKey = try Secret.key(call[Secret.argument], call).publicKey
        if call.console.usesJSON {
            try call.console.output.line(["pubkey": .string(publicKey.hex), "npub": .string(publicKey.npub)])
        } else {
            try call.console.output.line(publicKey.hex)
        }
    }
}
