import CommandKit
import NostrCrypto
import NostrEvents

/// How commands print keys.
enum KeyOutput {
    /// The secret key in hexadecimal, or with `--json` every form of both keys.
    static func print(_ keyPair: KeyPair, _ call: Invocation) throws {
        if call.console.usesJSON {
            try call.console.output.line(.object(members(keyPair)))
        } else {
            try call.console.output.line(hex(keyPair.secretKey))
        }
    }

    static func members(_ keyPair: KeyPair) -> [(name: String, value: JSON)] {
        [
            ("pubkey", .string(keyPair.publicKey.hex)), ("npub", .string(keyPair.publicKey.npub)),
            ("secret", .string(hex(keyPair.secretKey))), ("nsec", .string(nsec(keyPair.secretKey))),
        ]
    }

    static func hex(_ key: SecretKey) -> String { key.withUnsafeBytes { Hex.encode($0) } }

    static func nsec(_ key: SecretKey) -> String {
        // 32 bytes always fit.
        (try? NIP19.nsec(key).encoded()) ?? hex(key)
    }
}
