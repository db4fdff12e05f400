import CommandKit
import NostrCrypto

enum KeyGenerate {
    static let command = Command(
        "generate",
        "Make a new random secret key",
        details: ["Prints it in hexadecimal; with --json in every form, and its public key."],
        examples: [
            Example("linkstr key generate", "Prints 64 hexadecimal digits"),
            Example("(umask 077; linkstr key generate > me.key)", "Keeps a key in a file that only its owner can read"),
        ]
    ) { call in
        try KeyOutput.print(KeyPair.generate(), call)
    }
}
