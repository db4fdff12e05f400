public import NostrCrypto

extension EncryptedFile {
    /// Encrypts the bytes of a file under a new key.
    /// - Throws: `CryptoError` if OpenSSL fails.
    public static func encrypt(_ bytes: [UInt8], random: RandomSource = .system) throws(CryptoError) -> Encrypted {
        let key = random.bytes(AESGCM.keyCount)
        let nonce = random.bytes(AESGCM.nonceCount)
        return Encrypted(
            bytes: try AESGCM.seal(bytes, key: key, nonce: nonce),
            key: key,
            nonce: nonce,
            originalDigest: SHA256.hash(bytes)
        )
    }

    /// Decrypts what was fetched from ``url``, after its digest was found right.
    /// - Throws: `CryptoError.authenticationFailed` for other bytes than the author stored;
    ///   `CryptoError.invalidLength(expected:actual:)` for a nonce that has not 8 to 64 bytes.
    public func decrypt(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard SHA256.hash(bytes) == digest else { throw .authenticationFailed }
        let plain =
            try nonce.count == AESGCM.nonceCount
            ? AESGCM.open(bytes, key: key, nonce: nonce) : AESGCM.open(bytes, key: key, unusualNonce: nonce)
        if let originalDigest, SHA256.hash(plain) != originalDigest { throw .authenticationFailed }
        return plain
    }
}
