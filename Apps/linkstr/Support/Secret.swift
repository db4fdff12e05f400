import CommandKit
import NostrCrypto
import NostrEvents

/// The secret key that a command works with.
enum Secret {
    static let help =
        "SEC is hexadecimal, nsec or ncryptsec, or @FILE to read one of them from a file that its owner alone can read. "
        + "Other processes can see what stands on a command line: for a key that matters use @FILE or LINKSTR_SECRET."

    static let option = Option(
        "sec",
        SecretSource.conversion(acceptsStandardInput: false),
        environment: "LINKSTR_SECRET",
        "The secret key"
    )

    static let argument = OptionalArgument(
        "SEC",
        SecretSource.conversion(acceptsStandardInput: true),
        environment: "LINKSTR_SECRET",
        "The secret key; - reads a line of standard input"
    )

    /// Reads the key; asks for the passphrase of an ncryptsec.
    static func key(_ source: SecretSource?, _ call: Invocation) throws -> SecretKey {
        guard let source else {
            throw CommandFailure(.usage, "a secret key is needed: give SEC or @FILE, or set LINKSTR_SECRET")
        }
        let text = try source.text()
        if text.prefix(10).lowercased() == "ncryptsec1" { return try decrypt(text, call).secretKey }
        guard let key = plain(text) else {
            // Nothing of the text: it may be a secret with a typing mistake.
            throw CommandFailure(.badInput, "SEC is neither a secret key in hexadecimal nor an nsec or ncryptsec")
        }
        return key
    }

    /// Opens an ncryptsec with the passphrase that ``Passphrase`` gets.
    static func decrypt(
        _ text: String,
        _ call: Invocation,
        maximumLogN: Int = NIP49.defaultMaximumLogN
    ) throws -> NIP49.Opened {
        // Nobody is asked for the passphrase of something that cannot be opened.
        let logN = try NIP49.logN(of: text)
        guard logN <= maximumLogN else { throw CryptoError.nip49(.costTooHigh(logN: logN, maximum: maximumLogN)) }
        return try NIP49.decrypt(text, passphrase: Passphrase.get(call), maximumLogN: maximumLogN)
    }

    private static func plain(_ text: String) -> SecretKey? {
        if let key = try? SecretKey(hex: text) { return key }
        guard case .nsec(let key) = try? NIP19(text) else { return nil }
        return key
    }
}
