import CommandKit
import LinkstrClient
import NostrCrypto

enum AccountExport {
    private static let encrypted = Flag("encrypted", "Print an ncryptsec under a new passphrase")
    private static let exportFile = Option(
        "export-passphrase-file",
        .file,
        "Read the new passphrase from the first line of FILE"
    )

    static let command = Command(
        "export",
        "Print the secret key of an account",
        details: ["Asks first when the key would be printed in the open."],
        takes: [encrypted, exportFile, Passphrase.file, Confirmation.yes],
        examples: [
            Example(
                "linkstr account export --encrypted > ann.ncryptsec",
                "Asks for a passphrase and writes the encrypted key"
            ),
            Example("linkstr account export --yes", "Prints the nsec"),
        ]
    ) { call in
        let accounts = try Work.accounts(call)
        let account = try accounts.find(call[GlobalOptions.account])
        let keys = try Work.keys(account.key, accounts, call)
        let text: String
        if call[encrypted] {
            let passphrase = try Passphrase.get(call, "New passphrase", isNew: true, from: exportFile)
            text = try NIP49.encrypt(keys.keyPair.secretKey, passphrase: passphrase)
        } else {
            try Confirmation.require(call, "The secret key of \(account.key.npub) will be printed in the open.")
            text = KeyOutput.nsec(keys.keyPair.secretKey)
        }
        let shown = text
        // Under the home's lock from the first byte on: what is printed is noted in any case.
        try await Work.withHome(call) { accounts in
            try print(shown, of: account.key, call)
            try accounts.noteSecretKnownElsewhere(account.key)
        }
    }

    private static func print(_ text: String, of account: Bytes32, _ call: Invocation) throws {
        if call.console.usesJSON {
            try call.console.output.line([
                call[encrypted] ? "ncryptsec" : "nsec": .string(text), "pubkey": .string(account.hex),
            ])
        } else {
            try call.console.output.line(text)
        }
        // It counts as known elsewhere once it has left this program.
        try call.console.output.flush()
    }
}
