import CommandKit
import NostrCrypto

/// Passphrases that the service manager keeps and gives to the daemon alone: files in the directory that
/// `CREDENTIALS_DIRECTORY` names (systemd.exec(5), Credentials).
enum Credential {
    /// The passphrase of an account: of the file `linkstr.passphrase.` and the key in hex, or else of `linkstr.passphrase`.
    static func passphrase(of account: Bytes32) -> String? {
        guard let directory = Environment.value("CREDENTIALS_DIRECTORY"), directory.hasPrefix("/") else { return nil }
        for name in ["linkstr.passphrase." + account.hex, "linkstr.passphrase"] {
            if let bytes = try? Files.readSecret(directory + "/" + name, limit: 4096),
                let text = String(validating: bytes, as: UTF8.self)
            {
                return String(text.prefix { !$0.isNewline })
            }
        }
        return nil
    }
}
