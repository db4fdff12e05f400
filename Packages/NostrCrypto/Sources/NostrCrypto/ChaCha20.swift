internal import COpenSSL

/// The ChaCha20 stream cipher with a 96-bit nonce (RFC 8439 section 2.4), without authentication: use it only inside a
/// construction that authenticates, such as NIP-44.
public enum ChaCha20 {
    /// Bytes of a key.
    public static let keyCount = 32
    /// Bytes of a nonce.
    public static let nonceCount = 12

    /// Encrypts or decrypts, which is the same operation.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used twice with the same key.
    ///   - counter: the number of the first 64-byte block.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` when the key or the nonce has another length.
    public static func apply(
        to bytes: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        counter: UInt32 = 0
    ) throws(CryptoError) -> [UInt8] {
        var result = bytes
        let outcome = result.withUnsafeMutableBytes { result in
            key.withUnsafeBytes { key in
                nonce.withUnsafeBytes { nonce in
                    Result { () throws(CryptoError) in
                        let key = try CipherPool.start(of: key, count: keyCount)
                        let nonce = try CipherPool.start(of: nonce, count: nonceCount)
                        try applyInPlace(to: result, key: key, nonce: nonce, counter: counter)
                    }
                }
            }
        }
        try outcome.get()
        return result
    }

    /// The same over memory: `key` is 32 bytes, `nonce` 12.
    static func applyInPlace(
        to bytes: UnsafeMutableRawBufferPointer,
        key: UnsafeRawPointer,
        nonce: UnsafeRawPointer,
        counter: UInt32 = 0
    ) throws(CryptoError) {
        // OpenSSL takes the block counter, little-endian, and the nonce as one 16-byte value.
        let low = UInt64(counter) | UInt64(nonce.loadUnaligned(as: UInt32.self).littleEndian) << 32
        let high = (nonce + 4).loadUnaligned(as: UInt64.self).littleEndian
        var initial = (low.littleEndian, high.littleEndian)
        try withUnsafeBytes(of: &initial) { initial throws(CryptoError) in
            guard let nonce = initial.baseAddress else { throw .libraryFailure }
            try CipherPool.chaCha20.with(key: key, nonce: nonce, encrypting: true) { context throws(CryptoError) in
                try CipherPool.update(context, UnsafeRawBufferPointer(bytes), into: bytes.baseAddress)
            }
        }
    }
}
