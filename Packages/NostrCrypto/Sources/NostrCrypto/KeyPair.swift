internal import CSecp256k1

/// A secret key with its public key, prepared for signing: a signature costs half of what it does from the secret key alone.
///
/// Like ``SecretKey`` it shows nothing when printed and is zeroised with its last copy.
public struct KeyPair: Sendable {
    /// The secret half.
    public let secretKey: SecretKey
    /// The half to give away, computed once.
    public let publicKey: PublicKey
    /// A `secp256k1_keypair`.
    private let prepared: SecretBytes

    /// Computes the public key.
    public init(_ secretKey: SecretKey) {
        var x = Bytes32.zero
        var point = secp256k1_pubkey()
        prepared = SecretBytes(count: MemoryLayout<secp256k1_keypair>.size) { target in
            let pair = target.assumingMemoryBound(to: secp256k1_keypair.self).baseAddress!
            var isDone = secretKey.withUnsafeBytes { secp256k1_keypair_create(Secp256k1.context, pair, $0.bound!) } == 1
            var even = secp256k1_xonly_pubkey()
            var parity: Int32 = 0
            isDone = isDone && secp256k1_keypair_xonly_pub(Secp256k1.context, &even, &parity, pair) == 1
            withUnsafeMutableBytes(of: &x) {
                isDone = isDone && secp256k1_xonly_pubkey_serialize(Secp256k1.context, $0.bound!, &even) == 1
            }
            // The point with the even y, without the root that parsing its x would cost.
            isDone = isDone && secp256k1_keypair_pub(Secp256k1.context, &point, pair) == 1
            if parity == 1 { isDone = isDone && secp256k1_ec_pubkey_negate(Secp256k1.context, &point) == 1 }
            // A secret key is in range by its type, and none of these calls refuses one.
            precondition(isDone, "libsecp256k1 refused a valid key")
        }
        self.secretKey = secretKey
        publicKey = PublicKey(x, point: point)
    }

    /// A new random pair.
    public static func generate(random: RandomSource = .system) -> KeyPair {
        KeyPair(.generate(random: random))
    }

    /// Signs 32 bytes, such as an event id (BIP-340), with fresh auxiliary randomness.
    public func sign(_ digest: Bytes32, random: RandomSource = .system) -> Signature {
        sign(digest, auxiliary: random.bytes32())
    }

    /// Signs 32 bytes with the auxiliary randomness given: the same input makes the same signature. Even a predictable value
    /// reveals nothing of the key; a random one also protects against side channels and faults.
    public func sign(_ digest: Bytes32, auxiliary: Bytes32) -> Signature {
        var signature = Signature.zero
        let done = withPrepared { pair in
            digest.withUnsafeBytes { digest in
                auxiliary.withUnsafeBytes { auxiliary in
                    withUnsafeMutableBytes(of: &signature) { target in
                        secp256k1_schnorrsig_sign32(
                            Secp256k1.context,
                            target.bound!,
                            digest.bound!,
                            pair,
                            auxiliary.bound!
                        )
                    }
                }
            }
        }
        // Only a nonce of zero makes it fail, which nobody can find.
        precondition(done == 1, "libsecp256k1 refused to sign")
        return signature
    }

    /// Signs a message of any length as it is, unhashed (BIP-340). Nostr signs digests: use ``sign(_:random:)``.
    public func sign(message: UnsafeRawBufferPointer, auxiliary: Bytes32) -> Signature {
        var signature = Signature.zero
        let done = withPrepared { pair in
            auxiliary.withUnsafeBytes { auxiliary in
                withUnsafeMutableBytes(of: &signature) { target in
                    // The magic number that says which version of the structure this is (secp256k1_schnorrsig.h).
                    var parameters = secp256k1_schnorrsig_extraparams(
                        magic: (0xda, 0x6f, 0xb3, 0x8c),
                        noncefp: nil,
                        ndata: UnsafeMutableRawPointer(mutating: auxiliary.baseAddress)
                    )
                    return secp256k1_schnorrsig_sign_custom(
                        Secp256k1.context,
                        target.bound!,
                        message.bound,
                        message.count,
                        pair,
                        &parameters
                    )
                }
            }
        }
        precondition(done == 1, "libsecp256k1 refused to sign")
        return signature
    }

    /// Signs a message of any length as it is, unhashed (BIP-340). Nostr signs digests: use ``sign(_:random:)``.
    public func sign(message: [UInt8], auxiliary: Bytes32) -> Signature {
        message.withUnsafeBytes { sign(message: $0, auxiliary: auxiliary) }
    }

    private func withPrepared<Result>(_ body: (UnsafePointer<secp256k1_keypair>) -> Result) -> Result {
        prepared.withUnsafeBytes { body($0.assumingMemoryBound(to: secp256k1_keypair.self).baseAddress!) }
    }
}

extension KeyPair: Equatable {
    /// Compares the secret keys in constant time.
    public static func == (left: KeyPair, right: KeyPair) -> Bool {
        left.secretKey == right.secretKey
    }
}

extension KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "KeyPair(\(publicKey.hex), redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
