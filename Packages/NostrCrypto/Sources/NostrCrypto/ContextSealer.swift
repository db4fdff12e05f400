/// Seals values for storage so that each opens in its own place alone: AES-256-GCM (NIST SP 800-38D) with the place as
/// associated data. A sealed value is nonce, ciphertext and tag.
///
/// Two keys are made from one data key by HKDF (RFC 5869): one seals, the other makes codes that stand for a value in an
/// index without telling it.
public struct ContextSealer: Sendable {
    /// Bytes that sealing adds to a value.
    public static let overhead = AESGCM.nonceCount + AESGCM.tagCount

    private let key: SecretBytes
    private let codeKey: HMACSHA256

    /// - Parameters:
    ///   - dataKey: 32 bytes.
    ///   - purpose: what the values are, so that one data key serves several stores without common keys.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for another number of bytes.
    public init(dataKey: SecretBytes, purpose: String) throws(CryptoError) {
        guard dataKey.count == 32 else { throw .invalidLength(expected: 32, actual: dataKey.count) }
        let root = dataKey.withUnsafeBytes { key in
            HKDF.extract(inputKeyMaterial: key, salt: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        func subkey(_ use: String) throws(CryptoError) -> [UInt8] {
            try HKDF.expand(pseudorandomKey: root.array, info: Array("\(purpose) \(use) v1".utf8), count: 32)
        }
        key = SecretBytes(try subkey("seal"))
        codeKey = HMACSHA256(key: try subkey("lookup"))
    }

    /// Seals `plaintext` for the place that `context` names.
    ///
    /// - Parameter nonce: 12 random bytes that serve once, for a caller who draws many at a time; drawn here by default.
    /// - Throws: ``CryptoError`` when the cipher fails.
    public func seal(
        _ plaintext: [UInt8],
        context: [UInt8],
        nonce: [UInt8] = SecureRandom.bytes(AESGCM.nonceCount)
    ) throws(CryptoError) -> [UInt8] {
        try key.withUnsafeBytes { key throws(CryptoError) in
            try plaintext.span.bytes.withUnsafeBytes { plaintext throws(CryptoError) in
                try nonce.span.bytes.withUnsafeBytes { nonceBytes throws(CryptoError) in
                    try context.span.bytes.withUnsafeBytes { context throws(CryptoError) in
                        nonce + (try AESGCM.seal(plaintext, key: key, nonce: nonceBytes, authenticating: context))
                    }
                }
            }
        }
    }

    /// The plaintext, or nil where the value was sealed for another place or under another key, or was changed.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.overhead else { return nil }
        return sealed.span.bytes.withUnsafeBytes { sealed in
            key.withUnsafeBytes { key in
                context.span.bytes.withUnsafeBytes { context in
                    try? AESGCM.open(
                        UnsafeRawBufferPointer(rebasing: sealed[AESGCM.nonceCount...]),
                        key: key,
                        nonce: UnsafeRawBufferPointer(rebasing: sealed[..<AESGCM.nonceCount]),
                        authenticating: context
                    )
                }
            }
        }
    }

    /// HMAC-SHA256 of `value` (RFC 2104): the same for the same value, and nobody without the key can make or read it.
    public func code(for value: [UInt8]) -> Bytes32 {
        codeKey.code(for: value)
    }
}
