import CommandKit
import NostrCrypto

enum KeyDecrypt {
    private static let maximum = DefaultedOption(
        "max-log-n",
        .integer(in: 1...22 as ClosedRange<Int>),
        default: NIP49.defaultMaximumLogN,
        "Refuse a cost above 2^N, because the ncryptsec decides how much memory this takes; 20 is 1 GiB"
    )
    private static let text = OptionalArgument(
        "NCRYPTSEC",
        SecretSource.conversion(acceptsStandardInput: true),
        environment: "LINKSTR_SECRET",
        "The encrypted key, or @FILE; - reads a line of standard input"
    )

    static let command = Command(
        "decrypt",
        "Decrypt an ncryptsec into the secret key (NIP-49)",
        details: ["Prints it in hexadecimal; with --json in every form, and how the key was handled before."],
        takes: [maximum, Passphrase.file, text],
        examples: [
            Example("linkstr key decrypt @me.ncryptsec", "Asks for the passphrase on the terminal"),
            Example(
                "linkstr key decrypt --passphrase-file passphrase.txt @me.ncryptsec --json",
                "Reads it from a file"
            ),
        ]
    ) { call in
        guard let source = call[text] else {
            throw CommandFailure(.usage, "an ncryptsec is needed: give NCRYPTSEC or @FILE, or set LINKSTR_SECRET")
        }
        let opened = try Secret.decrypt(source.text(), call, maximumLogN: call[maximum])
        let keys = KeyPair(opened.secretKey)
        if call.console.usesJSON {
            let security = (name: "key_security", value: JSON.string(opened.keySecurity.name))
            try call.console.output.line(.object(KeyOutput.members(keys) + [security]))
        } else {
            try KeyOutput.print(keys, call)
        }
    }
}
