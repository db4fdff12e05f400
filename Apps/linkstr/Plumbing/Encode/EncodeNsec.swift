import CommandKit
import NostrCrypto
import NostrEvents

enum EncodeNsec {
    static let command = Command(
        "nsec",
        "Write a secret key as nsec",
        details: [Secret.help],
        takes: [Secret.argument, Passphrase.file],
        examples: [Example("linkstr encode nsec @me.key", "Prints nsec1...")]
    ) { call in
        let text = KeyOutput.nsec(try Secret.key(call[Secret.argument], call))
        if call.console.usesJSON {
            try call.console.output.line(["type": "nsec", "encoded": .string(text)])
        } else {
            try call.console.output.line(text)
        }
    }
}
