/// Encryption that shows whether what was encrypted, or what it belongs to, was changed: ``AESGCM`` and ``XChaCha20Poly1305``.
public protocol AuthenticatedCipher {
    /// Bytes of a nonce.
    static var nonceCount: Int { get }

    /// Encrypts `plaintext`.
    ///
    /// - Parameters:
    ///   - key: ``keyCount`` bytes.
    ///   - nonce: ``nonceCount`` bytes, never used twice with the same key.
    ///   - context: what is authenticated with it but not contained in the result.
    /// - Returns: The ciphertext, followed by the tag of ``tagCount`` bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` when the key or the nonce has another length.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8]

    /// Decrypts what `seal` returned, if neither it nor `context` was changed.
    ///
    /// - Throws: ``CryptoError/authenticationFailed``; ``CryptoError/invalidLength(expected:actual:)`` when the key or the
    ///   nonce has another length.
    static func open(
        _ sealed: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8]
}

extension AuthenticatedCipher {
    /// Bytes of a key.
    public static var keyCount: Int { CipherPool.keyCount }
    /// Bytes by which a sealed value is longer than the plaintext.
    public static var tagCount: Int { CipherPool.tagCount }

    /// Encrypts `plaintext`: see the form over memory, which spares a copy of the key.
    public static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try withBytes(plaintext, key, nonce, context, seal)
    }

    /// Decrypts what `seal` returned: see the form over memory, which spares a copy of the key.
    public static func open(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try withBytes(sealed, key, nonce, context, open)
    }
}

/// Hands the memory of four arrays to a form over memory.
func withBytes(
    _ text: [UInt8],
    _ key: [UInt8],
    _ nonce: [UInt8],
    _ context: [UInt8],
    _ body: (
        UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8]
) throws(CryptoError) -> [UInt8] {
    try text.span.bytes.withUnsafeBytes { text throws(CryptoError) in
        try key.span.bytes.withUnsafeBytes { key throws(CryptoError) in
            try nonce.span.bytes.withUnsafeBytes { nonce throws(CryptoError) in
                try context.span.bytes.withUnsafeBytes { context throws(CryptoError) in
                    try body(text, key, nonce, context)
                }
            }
        }
    }
}
