/// The key that two people share for all their NIP-44 messages, in either direction.
///
/// Computing one costs an ECDH, so keep it for as long as the conversation is active. It holds the 32 bytes and the hash
/// states derived from them in locked memory that is zeroised when the last copy goes, shows nothing when printed and
/// compares in constant time.
public struct ConversationKey: Sendable {
    /// The states of HMAC under the key, and the key.
    private struct Contents: BitwiseCopyable {
        var pads: HMACPads
        var key: Bytes32
    }

    private let secret: SecretBytes

    /// The key between the owner of `secretKey` and `other`: the same from both sides (NIP-44, encryption step 1).
    public init(_ secretKey: SecretKey, _ other: PublicKey) {
        let shared = secretKey.sharedX(with: other)
        self.init { key in
            shared.withUnsafeBytes { shared in
                HMACScratch.with { scratch in
                    withUnsafePointer(to: ConversationKey.saltPads) { scratch.code($0, shared) }
                    key = scratch.digest
                }
            }
        }
    }

    /// A conversation key that was computed elsewhere.
    ///
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` unless there are 32 bytes.
    public init(bytes: some Collection<UInt8>) throws(CryptoError) {
        guard bytes.count == 32 else { throw .invalidLength(expected: 32, actual: bytes.count) }
        self.init { key in withUnsafeMutableBytes(of: &key) { $0.copyBytes(from: bytes) } }
    }

    private init(writing write: (inout Bytes32) -> Void) {
        secret = SecretBytes(count: MemoryLayout<Contents>.size) { memory in
            let contents = memory.assumingMemoryBound(to: Contents.self)
            write(&contents[0].key)
            Swift.withUnsafeBytes(of: &contents[0].key) { HMACPads.prepare(&contents[0].pads, key: $0) }
        }
    }

    /// HMAC under the salt of HKDF-extract. Not secret.
    private static let saltPads: HMACPads = {
        var pads = HMACPads()
        Array("nip44-v2".utf8).withUnsafeBytes { HMACPads.prepare(&pads, key: $0) }
        return pads
    }()

    /// Calls `body` with the 32 bytes, which are valid only during the call.
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withUnsafeBytes { memory throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: memory[MemoryLayout<HMACPads>.size...].prefix(32)))
        }
    }

    /// The keys of the message that has this nonce.
    func expand(nonce: Bytes32, into keys: inout NIP44.MessageKeys, _ scratch: inout HMACScratch) {
        secret.withUnsafeBytes { memory in
            // The pads come first in `Contents`, and this memory was asked for with its size.
            let pads = memory.assumingMemoryBound(to: HMACPads.self).baseAddress.unsafelyUnwrapped
            scratch.expand(pads, info: nonce, rounds: 3) { round, digest in
                switch round {
                case 1: keys.first = digest
                case 2: keys.second = digest
                default: keys.third = digest
                }
            }
        }
    }
}

extension ConversationKey: Equatable {
    /// Compares in constant time.
    public static func == (left: ConversationKey, right: ConversationKey) -> Bool {
        left.withUnsafeBytes { first in right.withUnsafeBytes { constantTimeEquals(first, $0) } }
    }
}

extension ConversationKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ConversationKey(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
