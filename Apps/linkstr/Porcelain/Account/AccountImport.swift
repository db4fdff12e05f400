import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum AccountImport {
    private static let name = Option("name", .text, "What to call the account")
    private static let secret = OptionalArgument(
        "SECRET",
        .text,
        "- or nothing reads a line of standard input; anything else needs --unsafe-argument"
    )
    private static let unsafe = Flag(
        "unsafe-argument",
        "Take the secret from the command line, where other processes see it"
    )

    static let command = Command(
        "import",
        "Add an account whose key exists",
        details: [
            "The secret is an nsec, an ncryptsec (whose passphrase is asked for), 64 hexadecimal digits, or 12 to 24 words."
        ],
        takes: [name, Passphrase.file, unsafe, secret],
        examples: [
            Example("linkstr account import --name Ann < ann.nsec", "Reads the secret from a file"),
            Example("linkstr account import", "Reads a line that is typed"),
        ]
    ) { call in
        let text: String
        if let given = call[secret], given != "-" {
            guard call[unsafe] else {
                throw CommandFailure(
                    .usage,
                    "a secret on the command line is visible to others; use standard input, or --unsafe-argument"
                )
            }
            text = given
        } else {
            text =
                Console.canAsk ? try Passphrase.ask(call.console, "Secret key") : try SecretSource.standardInput.text()
        }
        let key = try key(text, call)
        let account = try await add(key, call)
        try AccountOutput.line(account, call)
    }

    /// Data that a logout kept may be under a passphrase, which is then needed and locks the account again.
    private static func add(_ key: SecretKey, _ call: Invocation) async throws -> Account {
        func add(_ passphrase: String?) async throws -> Account {
            try await Work.withHome(call) { accounts in
                try accounts.add(key, name: call[name], passphrase: passphrase, isImported: true, now: Clock.now)
            }
        }
        do {
            return try await add(nil)
        } catch IdentityError.locked {
            return try await add(Passphrase.get(call, "Passphrase of the data kept here"))
        }
    }

    private static func key(_ text: String, _ call: Invocation) throws -> SecretKey {
        if text.contains(" "), let words = try? Mnemonic(phrase: text) { return try words.secretKey() }
        return try Secret.key(.literal(text), call)
    }
}
