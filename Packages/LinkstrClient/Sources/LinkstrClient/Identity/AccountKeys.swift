public import NostrCrypto
import NostrEvents

/// The two keys of an account: one is the person, the other opens the data kept on this device. Neither follows from the other, so the
/// secret key alone opens no sealed row.
public struct AccountKeys: Sendable {
    /// The person's keys.
    public let keyPair: KeyPair
    /// 32 bytes, made on this device.
    public let dataKey: SecretKey

    /// Keys of a new account, or of one that is imported: the data key is always new.
    public init(_ secretKey: SecretKey, random: RandomSource = .system) {
        keyPair = KeyPair(secretKey)
        // Drawn as a secret key, so that NIP-49 can wrap it like the other one; nearly every 32 bytes are one.
        dataKey = .generate(random: random)
    }

    init(_ secretKey: SecretKey, dataKey: SecretKey) {
        keyPair = KeyPair(secretKey)
        self.dataKey = dataKey
    }

    /// The public key, which is the account.
    public var publicKey: PublicKey { keyPair.publicKey }
}

/// Keys as they were found: usable, or under a passphrase.
public enum StoredKeys: Sendable {
    /// They can be used.
    case open(AccountKeys)
    /// They are under a passphrase.
    case locked(LockedKeys)

    /// The keys.
    /// - Throws: ``IdentityError/locked(_:)``.
    public func opened() throws(IdentityError) -> AccountKeys {
        switch self {
        case .open(let keys): keys
        case .locked(let locked): throw .locked(locked.account)
        }
    }
}

/// Keys under a passphrase (NIP-49). Two are equal when the same text is stored: to lock keys anew, also under the same passphrase, gives
/// another one.
public struct LockedKeys: Sendable, Equatable {
    /// The account's public key.
    public let account: Bytes32
    let secret: String
    /// The data key, more than once where the change of a passphrase was broken off.
    let dataKeys: [String]

    /// Opens both keys. Takes about a tenth of a second or longer, on purpose.
    /// - Throws: ``IdentityError/wrongPassphrase``, or ``IdentityError/malformed(path:)`` where the keys are another account's.
    public func unlock(passphrase: String) throws(IdentityError) -> AccountKeys {
        let secretKey = try Self.key(secret, passphrase: passphrase)
        let keys = AccountKeys(secretKey, dataKey: try dataKey(passphrase))
        guard keys.publicKey.bytes == account else { throw .malformed(path: account.hex) }
        return keys
    }

    private func dataKey(_ passphrase: String) throws(IdentityError) -> SecretKey {
        for text in dataKeys.dropLast() {
            if let key = try? Self.key(text, passphrase: passphrase) { return key }
        }
        return try Self.key(dataKeys[dataKeys.count - 1], passphrase: passphrase)
    }

    /// A key that is wrapped, or still is not because a crash came between the two files.
    private static func key(_ text: String, passphrase: String) throws(IdentityError) -> SecretKey {
        if let open = KeyText.open(text) { return open }
        do throws(CryptoError) {
            return try NIP49.decrypt(text, passphrase: passphrase).secretKey
        } catch {
            throw .wrongPassphrase
        }
    }
}

/// Keys as text in files.
enum KeyText {
    static func isLocked(_ text: String) -> Bool {
        text.hasPrefix("ncryptsec1")
    }

    /// A key that is under no passphrase: nsec or hex.
    static func open(_ text: String) -> SecretKey? {
        if text.hasPrefix("nsec1"), case .nsec(let key)? = try? NIP19(text) { return key }
        return try? SecretKey(hex: text)
    }
}
