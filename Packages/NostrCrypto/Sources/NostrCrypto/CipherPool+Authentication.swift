internal import COpenSSL

/// Authenticated encryption as AES-256-GCM and ChaCha20-Poly1305 share it: a 32-byte key, a 12-byte nonce, a 16-byte
/// tag behind the ciphertext.
extension CipherPool {
    static let keyCount = 32
    static let nonceCount = 12
    static let tagCount = 16

    /// The address of a parameter that must have `count` bytes.
    static func start(of bytes: UnsafeRawBufferPointer, count: Int) throws(CryptoError) -> UnsafeRawPointer {
        guard bytes.count == count, let start = bytes.baseAddress else {
            throw .invalidLength(expected: count, actual: bytes.count)
        }
        return start
    }

    func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        let key = try CipherPool.start(of: key, count: CipherPool.keyCount)
        let nonce = try CipherPool.start(of: nonce, count: CipherPool.nonceCount)
        var failure: CryptoError?
        let count = plaintext.count + CipherPool.tagCount
        let sealed = [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            do throws(CryptoError) {
                try with(key: key, nonce: nonce, encrypting: true) { cipher throws(CryptoError) in
                    try CipherPool.update(cipher, context, into: nil)
                    try CipherPool.update(cipher, plaintext, into: output.baseAddress)
                    var rest: Int32 = 0
                    guard let tag = output.baseAddress.map({ $0 + plaintext.count }),
                        EVP_CipherFinal_ex(cipher, tag, &rest) == 1,
                        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(CipherPool.tagCount), tag)
                            == 1
                    else { throw .libraryFailure }
                }
                filled = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return sealed
    }

    /// - Parameter nonceCount: Bytes of the nonce where it has not the usual size.
    func open(
        _ sealed: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        nonceCount: Int? = nil,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        let key = try CipherPool.start(of: key, count: CipherPool.keyCount)
        let nonce = try CipherPool.start(of: nonce, count: nonceCount ?? CipherPool.nonceCount)
        let count = sealed.count - CipherPool.tagCount
        guard count >= 0, let start = sealed.baseAddress else { throw .authenticationFailed }
        var failure: CryptoError?
        // For no elements this initialiser would write a count of zero to the empty array that all threads share.
        let plaintext = [UInt8](unsafeUninitializedCapacity: max(1, count)) { output, filled in
            do throws(CryptoError) {
                try with(key: key, nonce: nonce, nonceCount: nonceCount, encrypting: false) {
                    cipher throws(CryptoError) in
                    guard
                        EVP_CIPHER_CTX_ctrl(
                            cipher,
                            EVP_CTRL_AEAD_SET_TAG,
                            Int32(CipherPool.tagCount),
                            UnsafeMutableRawPointer(mutating: start + count)
                        ) == 1
                    else { throw .libraryFailure }
                    try CipherPool.update(cipher, context, into: nil)
                    try CipherPool.update(
                        cipher,
                        UnsafeRawBufferPointer(rebasing: sealed[..<count]),
                        into: output.baseAddress
                    )
                    var rest: Int32 = 0
                    var unused = (UInt64(0), UInt64(0))
                    let isAuthentic = withUnsafeMutableBytes(of: &unused) { unused in
                        EVP_CipherFinal_ex(cipher, unused.baseAddress?.assumingMemoryBound(to: UInt8.self), &rest) == 1
                    }
                    guard isAuthentic else { throw .authenticationFailed }
                }
                filled = count
            } catch {
                // What was decrypted before the tag turned out wrong is nobody's business.
                OPENSSL_cleanse(output.baseAddress, count)
                failure = error
            }
        }
        if let failure { throw failure }
        return plaintext
    }
}
