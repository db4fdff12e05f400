internal import COpenSSL

/// The private key that Apple gives to a team as a `.p8` file: a key on P-256, in PEM. It is not printable.
///
/// `@unchecked Sendable` because of the pointer: the key is read when it is made and never changed, and OpenSSL allows signing with
/// one key from several threads.
public final class APNsSigningKey: @unchecked Sendable, CustomStringConvertible {
    private let key: OpaquePointer

    /// Reads a key.
    ///
    /// - Parameter pem: the content of the file.
    /// - Throws: ``APNsError/unusableKey(_:)``
    public init(pem: [UInt8]) throws(APNsError) {
        guard pem.count <= 64 * 1024 else { throw .unusableKey("the file is too large for a key") }
        let read: OpaquePointer? = pem.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            // An encrypted key is refused; without this the terminal would be asked.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        ERR_clear_error()
        guard let read else { throw .unusableKey("it is no unencrypted private key in PEM") }
        var group = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_utf8_string_param(read, OSSL_PKEY_PARAM_GROUP_NAME, &group, group.count, &length) == 1,
            group.prefix(max(0, length)).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
        else {
            EVP_PKEY_free(read)
            ERR_clear_error()
            throw .unusableKey("it is not on the curve P-256")
        }
        key = read
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Signs with ECDSA and SHA-256.
    ///
    /// - Returns: r and s, 32 bytes each (RFC 7518 section 3.4).
    /// - Throws: ``APNsError/signingFailed``
    func sign(_ message: [UInt8]) throws(APNsError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .signingFailed }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var encoded = [UInt8](repeating: 0, count: 128)
        var length = encoded.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &encoded, &length, message, message.count) == 1
        else { throw .signingFailed }
        let numbers: OpaquePointer? = encoded.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, length)
        }
        guard let numbers else { throw .signingFailed }
        defer { ECDSA_SIG_free(numbers) }
        var signature = [UInt8](repeating: 0, count: 64)
        let written = signature.withUnsafeMutableBufferPointer { bytes in
            let first = BN_bn2binpad(ECDSA_SIG_get0_r(numbers), bytes.baseAddress, 32)
            let second = BN_bn2binpad(ECDSA_SIG_get0_s(numbers), bytes.baseAddress.map { $0 + 32 }, 32)
            return first == 32 && second == 32
        }
        guard written else { throw .signingFailed }
        return signature
    }

    /// Nothing of the key.
    public var description: String { "APNsSigningKey(redacted)" }
}
