/// Secret keys encrypted with a passphrase (NIP-49), written as `ncryptsec1...`.
///
/// The passphrase is normalised to NFKC and hashed with scrypt (`r` 8, `p` 1); the key is sealed with
/// XChaCha20-Poly1305.
///
/// ```swift
/// let text = try NIP49.encrypt(secretKey, passphrase: passphrase)
/// let opened = try NIP49.decrypt(text, passphrase: passphrase)
/// opened.secretKey == secretKey
/// ```
public enum NIP49 {
    /// What is known about how a key was handled before.
    public enum KeySecurity: UInt8, Sendable, CaseIterable {
        /// It was stored or copied unencrypted.
        case handledInsecurely = 0
        /// It is not known to have been stored or copied unencrypted.
        case handledSecurely = 1
        /// Nobody kept account.
        case untracked = 2
    }

    /// What an `ncryptsec` holds.
    public struct Opened: Sendable, Equatable {
        /// The decrypted key.
        public let secretKey: SecretKey
        /// How the key was handled before, as whoever encrypted it says.
        public let keySecurity: KeySecurity
    }

    /// The base-2 logarithm of the scrypt cost for new texts: 64 MiB and about a fifth of a second.
    public static let defaultLogN = 16

    /// The greatest cost that is accepted unless the caller says otherwise: 1 GiB and some seconds.
    public static let defaultMaximumLogN = 20

    private static let prefix = "ncryptsec"
    private static let version: UInt8 = 2
    private static let saltCount = 16
    private static let contentCount = 91

    /// Encrypts a key.
    ///
    /// - Parameters:
    ///   - secretKey: the key.
    ///   - passphrase: any text.
    ///   - logN: the cost, 1 to `maximumLogN`; a derivation takes `2^(logN + 10)` bytes.
    ///   - keySecurity: noted in the text, readable by anybody.
    ///   - maximumLogN: the greatest cost accepted.
    ///   - random: gives salt and nonce.
    /// - Throws: ``CryptoError/nip49(_:)`` with `costTooHigh`, ``CryptoError/invalidScryptParameter``.
    public static func encrypt(
        _ secretKey: SecretKey,
        passphrase: String,
        logN: Int = defaultLogN,
        keySecurity: KeySecurity = .untracked,
        maximumLogN: Int = defaultMaximumLogN,
        random: RandomSource = .system
    ) throws(CryptoError) -> String {
        let salt = random.bytes(saltCount)
        let key = try derive(passphrase, salt: salt, logN: logN, maximumLogN: maximumLogN)
        let nonce = random.bytes(XChaCha20Poly1305.nonceCount)
        let sealed = try secretKey.withUnsafeBytes { secret throws(CryptoError) in
            try key.withUnsafeBytes { key throws(CryptoError) in
                try nonce.span.bytes.withUnsafeBytes { nonce throws(CryptoError) in
                    try withUnsafeBytes(of: keySecurity.rawValue) { context throws(CryptoError) in
                        try XChaCha20Poly1305.seal(secret, key: key, nonce: nonce, authenticating: context)
                    }
                }
            }
        }
        let content = [version, UInt8(truncatingIfNeeded: logN)] + salt + nonce + [keySecurity.rawValue] + sealed
        return try Bech32.encode(hrp: prefix, data: content, variant: .bech32, limit: 200)
    }

    /// Decrypts a key.
    ///
    /// - Parameters:
    ///   - text: `ncryptsec1...`.
    ///   - passphrase: what it was encrypted with.
    ///   - maximumLogN: the greatest cost accepted. The text decides how much memory its derivation takes, so somebody else
    ///     does.
    /// - Throws: ``CryptoError/nip49(_:)``, ``CryptoError/invalidBech32(_:)``, or ``CryptoError/invalidSecretKey`` when
    ///   what was encrypted is no key.
    public static func decrypt(
        _ text: String,
        passphrase: String,
        maximumLogN: Int = defaultMaximumLogN
    ) throws(CryptoError) -> Opened {
        let content = try content(of: text)
        let logN = Int(content[1])
        let salt = Array(content[2..<18])
        guard let keySecurity = KeySecurity(rawValue: content[42]) else {
            throw .nip49(.unknownKeySecurity(content[42]))
        }
        let key = try derive(passphrase, salt: salt, logN: logN, maximumLogN: maximumLogN)
        var secret = try key.withUnsafeBytes { key throws(CryptoError) in
            try content.span.bytes.withUnsafeBytes { content throws(CryptoError) in
                do throws(CryptoError) {
                    return try XChaCha20Poly1305.open(
                        UnsafeRawBufferPointer(rebasing: content[43...]),
                        key: key,
                        nonce: UnsafeRawBufferPointer(rebasing: content[18..<42]),
                        authenticating: UnsafeRawBufferPointer(rebasing: content[42..<43])
                    )
                } catch CryptoError.authenticationFailed {
                    throw CryptoError.nip49(.wrongPassphrase)
                }
            }
        }
        defer { zeroise(&secret) }
        return Opened(secretKey: try SecretKey(bytes: secret), keySecurity: keySecurity)
    }

    /// The base-2 logarithm of the cost that decrypting `text` takes, which is readable without the passphrase.
    ///
    /// - Throws: ``CryptoError/nip49(_:)``, ``CryptoError/invalidBech32(_:)``.
    public static func logN(of text: String) throws(CryptoError) -> Int {
        Int(try content(of: text)[1])
    }

    private static func content(of text: String) throws(CryptoError) -> [UInt8] {
        let decoded = try Bech32.decode(text, limit: 200)
        guard decoded.humanReadablePart == prefix, decoded.variant == .bech32 else { throw .nip49(.notEncryptedKey) }
        guard let version = decoded.data.first else { throw .nip49(.wrongLength) }
        guard version == self.version else { throw .nip49(.unsupportedVersion(version)) }
        guard decoded.data.count == contentCount else { throw .nip49(.wrongLength) }
        return decoded.data
    }

    private static func derive(
        _ passphrase: String,
        salt: [UInt8],
        logN: Int,
        maximumLogN: Int
    ) throws(CryptoError) -> SecretBytes {
        guard logN <= maximumLogN else { throw .nip49(.costTooHigh(logN: logN, maximum: maximumLogN)) }
        return try Normalization.compatibilityComposed(passphrase).withUnsafeBytes { password throws(CryptoError) in
            try Scrypt.derive(password: password, salt: salt, logN: logN, memoryCeiling: .max)
        }
    }
}

extension NIP49 {
    /// Why a text is refused.
    public enum Problem: Equatable, Sendable, CustomStringConvertible {
        /// The text is bech32, but not an `ncryptsec`.
        case notEncryptedKey
        /// The text has another version than 2.
        case unsupportedVersion(UInt8)
        /// The text does not hold as many bytes as an encrypted key has.
        case wrongLength
        /// The byte that says how the key was handled is none of the three that NIP-49 knows.
        case unknownKeySecurity(UInt8)
        /// Decrypting would cost more than the caller allows.
        case costTooHigh(logN: Int, maximum: Int)
        /// The passphrase is not the right one, or the text was changed.
        case wrongPassphrase

        public var description: String {
            switch self {
            case .notEncryptedKey: "The text is not an ncryptsec."
            case .unsupportedVersion(let version): "The ncryptsec has version \(version); only 2 is supported."
            case .wrongLength: "The ncryptsec has a wrong length."
            case .unknownKeySecurity(let byte): "The ncryptsec has an unknown key security byte, \(byte)."
            case .costTooHigh(let logN, let maximum):
                "The ncryptsec has the cost 2^\(logN); at most 2^\(maximum) is allowed."
            case .wrongPassphrase: "The passphrase is wrong, or the ncryptsec was changed."
            }
        }
    }
}
