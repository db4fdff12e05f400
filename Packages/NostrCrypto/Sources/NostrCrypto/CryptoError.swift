/// What can go wrong in this package, a case for each thing a caller can act on. No case carries a secret.
public enum CryptoError: Error, Equatable, Sendable {
    /// The text is not hexadecimal of whole bytes in the case that was asked for.
    case invalidHex
    /// A value of another length (in bytes) was needed.
    case invalidLength(expected: Int, actual: Int)
    /// The 32 bytes are zero or not below the order of secp256k1, so they are no secret key.
    case invalidSecretKey
    /// The 32 bytes are not the x coordinate of a point on secp256k1, so they are no public key (BIP-340).
    case invalidPublicKey
    /// The text is not bech32 or bech32m, or its data cannot be represented (BIP-173, BIP-350).
    case invalidBech32(Bech32.Problem)
    /// The words are no BIP-39 mnemonic of the English list.
    case invalidMnemonic(Mnemonic.Problem)
    /// The number is above the 2^31 - 1 that BIP-32 can derive.
    case invalidDerivationIndex(UInt32)
    /// BIP-32 has no key at this place (its chance is 2^-127): take the next account.
    case derivationFailed
    /// The text is not strict Base64 (RFC 4648 section 4).
    case invalidBase64
    /// HKDF cannot give this many bytes (RFC 5869: 1 to 8160).
    case invalidOutputLength(Int)
    /// What was encrypted was changed, or another key, nonce or context belongs to it.
    case authenticationFailed
    /// A parameter of scrypt is outside its range.
    case invalidScryptParameter
    /// The password hash would need more memory (in bytes) than the caller allows.
    case memoryCeilingExceeded(ceiling: Int)
    /// OpenSSL refused a call whose arguments are right: it has no memory, or lacks the algorithm.
    case libraryFailure
    /// The NIP-44 payload or plaintext is refused.
    case nip44(NIP44.Problem)
    /// The encrypted secret key of NIP-49 is refused.
    case nip49(NIP49.Problem)
}

extension CryptoError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidHex: "The text is not hexadecimal."
        case .invalidLength(let expected, let actual): "The value has \(actual) bytes instead of \(expected)."
        case .invalidSecretKey: "The bytes are not a secp256k1 secret key."
        case .invalidPublicKey: "The bytes are not a secp256k1 public key."
        case .invalidBech32(let problem): problem.description
        case .invalidMnemonic(let problem): problem.description
        case .invalidDerivationIndex(let index): "Account or index \(index) is above the largest, 2147483647."
        case .derivationFailed: "No key can be derived for this account; take the next one."
        case .invalidBase64: "The text is not Base64."
        case .invalidOutputLength(let count): "HKDF gives 1 to 8160 bytes, not \(count)."
        case .authenticationFailed: "The encrypted data was changed, or the key is not the right one."
        case .invalidScryptParameter: "A parameter of the password hash is outside its range."
        case .memoryCeilingExceeded(let ceiling): "The password hash needs more than the \(ceiling) bytes allowed."
        case .nip44(let problem): problem.description
        case .nip49(let problem): problem.description
        case .libraryFailure: "OpenSSL failed: it has no memory or lacks the algorithm."
        }
    }
}
