import CommandKit
import NostrCrypto

enum KeyEncrypt {
    private static let logN = DefaultedOption(
        "log-n",
        .integer(in: 1...20 as ClosedRange<Int>),
        default: NIP49.defaultLogN,
        "The cost of each guess: 2^N; 16 takes 64 MiB, each more doubles time and memory"
    )
    private static let security = DefaultedOption(
        "key-security",
        .keySecurity,
        default: .untracked,
        "How the key was handled before, readable by anybody"
    )

    static let command = Command(
        "encrypt",
        "Encrypt a secret key with a passphrase, as ncryptsec (NIP-49)",
        details: [Secret.help],
        takes: [logN, security, Passphrase.file, Secret.argument],
        examples: [
            Example("(umask 077; linkstr key encrypt @me.key > me.ncryptsec)", "Asks for a passphrase on the terminal"),
            Example(
                "linkstr key generate | linkstr key encrypt --passphrase-file passphrase.txt -",
                "Makes a key that is never stored in the open"
            ),
        ]
    ) { call in
        let key = try Secret.key(call[Secret.argument], call)
        let passphrase = try Passphrase.get(call, isNew: true)
        let text = try NIP49.encrypt(key, passphrase: passphrase, logN: call[logN], keySecurity: call[security])
        if call.console.usesJSON {
            try call.console.output.line(["ncryptsec": .string(text), "pubkey": .string(key.publicKey.hex)])
        } else {
            try call.console.output.line(text)
        }
    }
}
