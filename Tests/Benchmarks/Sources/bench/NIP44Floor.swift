import COpenSSL
import NostrCrypto

/// The library calls that one NIP-44 payload cannot do without, on memory that is there already: no padding rules, no
/// checks, no strings. It is kept for the life of the process.
final class NIP44Floor {
    private let contentCount: Int
    private let textCount: Int
    private let plain: UnsafeMutablePointer<UInt8>
    private let content: UnsafeMutablePointer<UInt8>
    private let text: UnsafeMutablePointer<UInt8>
    private let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: 96)
    private let code = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
    /// The block counter, zero, and the nonce as OpenSSL takes them.
    private let initial = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)

    private let conversationKey: [UInt8]
    private let conversation: RawHMAC
    private let cipher: OpaquePointer
    private let mac: OpaquePointer

    /// - Parameter payload: one that decrypts with the key.
    init(payload: String, conversationKey: [UInt8]) throws {
        let bytes = try Base64.decode(payload)
        contentCount = bytes.count
        textCount = payload.utf8.count
        plain = .allocate(capacity: bytes.count)
        plain.initialize(repeating: 0x20, count: bytes.count)
        content = .allocate(capacity: bytes.count + 3)
        content.initialize(from: bytes, count: bytes.count)
        text = .allocate(capacity: textCount + 1)
        text.initialize(from: Array(payload.utf8), count: textCount)
        initial.initialize(repeating: 0, count: 16)

        self.conversationKey = conversationKey
        conversation = RawHMAC(key: conversationKey, count: 32)
        guard let cipher = EVP_CIPHER_CTX_new(), let mac = EVP_MAC_CTX_new(EVP_MAC_fetch(nil, "HMAC", nil)) else {
            throw CryptoError.libraryFailure
        }
        self.cipher = cipher
        self.mac = mac
        var digest = Array("SHA256".utf8CString)
        var parameters = [
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, &digest, 0), OSSL_PARAM_construct_end(),
        ]
        guard EVP_EncryptInit_ex(cipher, EVP_CIPHER_fetch(nil, "ChaCha20", nil), nil, nil, nil) == 1,
            EVP_MAC_init(mac, conversationKey, 32, &parameters) == 1
        else { throw CryptoError.libraryFailure }
    }

    private var authenticated: (UnsafePointer<UInt8>, Int) { (UnsafePointer(content + 1), contentCount - 33) }

    private func cipher(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) {
        var written: Int32 = 0
        (initial + 4).update(from: keys + 32, count: 12)
        EVP_EncryptInit_ex(cipher, nil, nil, keys, initial)
        EVP_EncryptUpdate(cipher, output, &written, input, Int32(contentCount - 65))
    }

    private func drawNonce() {
        SecureRandom.fill(UnsafeMutableRawBufferPointer(start: content + 1, count: 32))
    }

    // MARK: Everything by EVP, fetched once, contexts kept

    /// Message keys by the HMAC of EVP, keyed again for each code.
    private func expandByEVP() {
        var written = 0
        for index in 0..<3 {
            let output = keys + 32 * index
            var counter = UInt8(index + 1)
            EVP_MAC_init(mac, conversationKey, 32, nil)
            if index > 0 { EVP_MAC_update(mac, output - 32, 32) }
            EVP_MAC_update(mac, content + 1, 32)
            EVP_MAC_update(mac, &counter, 1)
            EVP_MAC_final(mac, output, &written, 32)
        }
    }

    private func authenticateByEVP(into output: UnsafeMutablePointer<UInt8>) {
        var written = 0
        EVP_MAC_init(mac, keys + 44, 32, nil)
        EVP_MAC_update(mac, authenticated.0, authenticated.1)
        EVP_MAC_final(mac, output, &written, 32)
    }

    func decryptByEVP() {
        EVP_DecodeBlock(content, text, Int32(textCount))
        expandByEVP()
        authenticateByEVP(into: code)
        cipher(content + 33, plain)
    }

    func encryptByEVP() {
        drawNonce()
        expandByEVP()
        cipher(plain, content + 33)
        authenticateByEVP(into: content + contentCount - 32)
        EVP_EncodeBlock(text, content, Int32(contentCount))
    }

    // MARK: The best there is: hash states kept, Base64 by tables

    private func authenticate(into output: UnsafeMutablePointer<UInt8>) {
        RawHMAC(key: keys + 44, count: 32).code(authenticated.0, authenticated.1, into: output)
    }

    func decryptByBestCalls() {
        keep(
            Base64.decode(
                UnsafeRawBufferPointer(start: text, count: textCount),
                into: UnsafeMutableRawBufferPointer(start: content, count: contentCount + 3)
            )
        )
        conversation.expand(content + 1, into: keys)
        authenticate(into: code)
        cipher(content + 33, plain)
    }

    func encryptByBestCalls() {
        drawNonce()
        conversation.expand(content + 1, into: keys)
        cipher(plain, content + 33)
        authenticate(into: content + contentCount - 32)
        Base64.encode(
            UnsafeRawBufferPointer(start: content, count: contentCount),
            into: UnsafeMutableRawBufferPointer(start: text, count: textCount)
        )
    }
}
