import CommandKit
import NostrCrypto

enum NIP44Encrypt {
    private static let to = RequiredOption("to", .publicKey, "The recipient")
    private static let text = OptionalArgument("TEXT", .text, "What to encrypt; without it, or as -, standard input")

    static let command = Command(
        "encrypt",
        "Encrypt a text into a payload",
        details: [
            "Standard input is one text, without the line feed at its end; with --lines each line is a text of its own, "
                + "also one of spaces, with --raw the text is taken byte for byte. A text has 1 byte to 1 MiB.",
            Secret.help,
        ],
        takes: [Secret.option, to, NIP44Options.lines, NIP44Options.raw, Passphrase.file, text],
        examples: [
            Example("linkstr nip44 encrypt --sec @me.key --to npub1... 'a secret'", "Prints the payload"),
            Example("linkstr nip44 encrypt --sec @me.key --to npub1... < letter.txt", "Encrypts a file as one text"),
        ]
    ) { call in
        let key = ConversationKey(try Secret.key(call[Secret.option], call), call[to])
        func print(_ text: String) throws {
            try NIP44Options.print(try NIP44.encrypt(text, with: key), as: "payload", call)
        }
        if let text = call[text], text != "-" {
            try print(text)
        } else if call[NIP44Options.lines] {
            try LineStream(call, of: "texts", skipsBlankLines: false).forEach { bytes in
                try print(NIP44Options.text(bytes))
            }
        } else {
            try print(LineStream(call, of: "a text").text(exact: call[NIP44Options.raw]))
        }
    }
}
