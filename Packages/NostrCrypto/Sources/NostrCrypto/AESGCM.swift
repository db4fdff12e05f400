/// AES-256 in Galois/counter mode (NIST SP 800-38D) with a 96-bit nonce.
public enum AESGCM: AuthenticatedCipher {
    /// 12 bytes.
    public static let nonceCount = CipherPool.nonceCount

    /// Encrypts `plaintext`: see ``AuthenticatedCipher``.
    public static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        try CipherPool.aes256GCM.seal(plaintext, key: key, nonce: nonce, authenticating: context)
    }

    /// Decrypts what `seal` returned: see ``AuthenticatedCipher``.
    public static func open(
        _ sealed: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        try CipherPool.aes256GCM.open(sealed, key: key, nonce: nonce, authenticating: context)
    }

    /// Bytes of nonces that others use instead of 96 bits, which is what ``open(_:key:unusualNonce:)`` takes.
    public static let unusualNonceCounts = 8...64

    /// Decrypts what somebody sealed under a nonce of another length than 96 bits. To seal under one is not offered.
    ///
    /// - Throws: What `open` throws; the nonce has ``unusualNonceCounts`` bytes.
    public static func open(
        _ sealed: [UInt8],
        key: [UInt8],
        unusualNonce nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard unusualNonceCounts.contains(nonce.count) else {
            throw .invalidLength(expected: nonceCount, actual: nonce.count)
        }
        return try withBytes(sealed, key, nonce, []) { sealed, key, nonce, context throws(CryptoError) in
            try CipherPool.aes256GCM.open(
                sealed,
                key: key,
                nonce: nonce,
                nonceCount: nonce.count,
                authenticating: context
            )
        }
    }
}
