import CommandKit
import NostrCrypto

enum KeyFromWords {
    private static let account = DefaultedOption(
        "index",
        .integer(in: 0...0x7FFF_FFFF as ClosedRange<UInt32>),
        default: 0,
        "Which of the keys that belong to the words"
    )
    private static let words = VariadicArgument(
        "WORD",
        .text,
        "12 to 24 words, or all of them as one argument; none, or -, reads a line of standard input"
    )

    static let command = Command(
        "from-words",
        "Print the secret key that belongs to words (NIP-06)",
        details: [
            "The English list of BIP-39. With --passphrase-file the words have that passphrase. Other processes can see "
                + "words on a command line."
        ],
        takes: [account, Passphrase.file, words],
        examples: [
            Example("linkstr key from-words < words.txt", "Prints the secret key in hexadecimal"),
            Example("linkstr key words | linkstr key from-words --json", "Prints it in every form"),
        ]
    ) { call in
        var phrase = call[words].joined(separator: " ")
        if phrase.isEmpty || phrase == "-" { phrase = try SecretSource.standardInput.text() }
        let passphrase = call[Passphrase.file] == nil ? "" : try Passphrase.get(call)
        let key = try Mnemonic(phrase: phrase).secretKey(account: call[account], passphrase: passphrase)
        try KeyOutput.print(KeyPair(key), call)
    }
}
