internal import COpenSSL
internal import Synchronization

/// An OpenSSL cipher, fetched once, and contexts for it that wait for the next use.
///
/// A context belongs to one caller between `take` and `give`: both exchange a whole slot atomically, so no two threads
/// ever hold the same. More contexts than slots are made and freed as needed. Before a context goes back its key is
/// overwritten.
///
/// Sendable because the members are constants: the fetched cipher is immutable, and what the pointer points to are atomics.
/// Pools are never freed.
final class CipherPool: @unchecked Sendable {
    static let chaCha20 = CipherPool("ChaCha20")
    static let chaCha20Poly1305 = CipherPool("ChaCha20-Poly1305")
    static let aes256GCM = CipherPool("AES-256-GCM")

    private static let slotCount = 8

    private let cipher: OpaquePointer?
    /// Addresses of waiting contexts, or zero.
    private let slots: UnsafeMutableBufferPointer<Atomic<UInt>>

    private init(_ name: String) {
        cipher = EVP_CIPHER_fetch(nil, name, nil)
        slots = .allocate(capacity: CipherPool.slotCount)
        for index in slots.indices { slots.initializeElement(at: index, to: Atomic(0)) }
    }

    /// Runs `body` with a context under a key of the cipher's size and a nonce of that size or `nonceCount` bytes.
    func with<Result>(
        key: UnsafeRawPointer,
        nonce: UnsafeRawPointer,
        nonceCount: Int? = nil,
        encrypting: Bool,
        _ body: (OpaquePointer) throws(CryptoError) -> Result
    ) throws(CryptoError) -> Result {
        let context = try take()
        // A context for another size of nonce is of no use to the next caller.
        defer { if nonceCount == nil { give(context) } else { EVP_CIPHER_CTX_free(context) } }
        if let nonceCount {
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(clamping: nonceCount), nil) == 1 else {
                throw .libraryFailure
            }
        }
        guard
            EVP_CipherInit_ex(
                context,
                nil,
                nil,
                key.assumingMemoryBound(to: UInt8.self),
                nonce.assumingMemoryBound(to: UInt8.self),
                encrypting ? 1 : 0
            ) == 1
        else { throw .libraryFailure }
        return try body(context)
    }

    private func take() throws(CryptoError) -> OpaquePointer {
        for index in slots.indices where slots[index].load(ordering: .relaxed) != 0 {
            if let context = OpaquePointer(bitPattern: slots[index].exchange(0, ordering: .acquiring)) {
                return context
            }
        }
        guard let cipher, let context = EVP_CIPHER_CTX_new() else { throw .libraryFailure }
        guard EVP_CipherInit_ex(context, cipher, nil, nil, nil, 1) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .libraryFailure
        }
        return context
    }

    private func give(_ context: OpaquePointer) {
        // All of these ciphers have 32-byte keys.
        let isWiped = Bytes32.zero.withUnsafeBytes { EVP_CipherInit_ex(context, nil, nil, $0.bound, nil, 1) == 1 }
        if isWiped {
            for index in slots.indices where slots[index].load(ordering: .relaxed) == 0 {
                let outcome = slots[index].compareExchange(
                    expected: 0,
                    desired: UInt(bitPattern: context),
                    ordering: .releasing
                )
                if outcome.exchanged { return }
            }
        }
        EVP_CIPHER_CTX_free(context)
    }

    /// Feeds `input` to a context in pieces of a size that OpenSSL's `int` can count.
    static func update(
        _ context: OpaquePointer,
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer?
    ) throws(CryptoError) {
        guard let start = input.baseAddress else { return }
        var done = 0
        while done < input.count {
            let share = min(input.count - done, 1 << 30)
            var written: Int32 = 0
            guard
                EVP_CipherUpdate(
                    context,
                    (output.map { $0 + done })?.assumingMemoryBound(to: UInt8.self),
                    &written,
                    (start + done).assumingMemoryBound(to: UInt8.self),
                    Int32(share)
                ) == 1
            else { throw .libraryFailure }
            done += share
        }
    }
}
