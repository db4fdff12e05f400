internal import CSecp256k1

/// A secp256k1 secret key: a number from 1 to the order of the curve less 1, in locked memory that is zeroised when the last
/// copy goes (a copy shares the memory).
///
/// It cannot be printed, dumped or encoded, and compares in constant time. To store one, write what ``withUnsafeBytes(_:)``
/// gives, or encrypt it (NIP-49).
public struct SecretKey: Sendable, Equatable {
    let secret: SecretBytes

    /// A key of 32 big-endian bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)``, or ``CryptoError/invalidSecretKey`` when the number is zero
    ///   or not below the order of the curve.
    public init(bytes: some Collection<UInt8>) throws(CryptoError) {
        guard bytes.count == 32 else { throw .invalidLength(expected: 32, actual: bytes.count) }
        try self.init(SecretBytes(bytes))
    }

    /// A key of 32 big-endian bytes that are in protected memory already; nothing is copied.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)``, or ``CryptoError/invalidSecretKey`` when the number is zero
    ///   or not below the order of the curve.
    public init(_ secret: SecretBytes) throws(CryptoError) {
        guard secret.count == 32 else { throw .invalidLength(expected: 32, actual: secret.count) }
        guard secret.withUnsafeBytes({ secp256k1_ec_seckey_verify(Secp256k1.context, $0.bound!) }) == 1 else {
            throw .invalidSecretKey
        }
        self.secret = secret
    }

    /// A key of 64 hexadecimal digits in either case.
    /// - Throws: ``CryptoError/invalidHex``, ``CryptoError/invalidLength(expected:actual:)`` or
    ///   ``CryptoError/invalidSecretKey``.
    public init(hex text: String) throws(CryptoError) {
        let secret = try SecretBytes(count: 32) { (target) throws(CryptoError) in
            try Hex.decode(text, into: target, accepting: .either)
        }
        try self.init(secret)
    }

    /// A new random key.
    public static func generate(random: RandomSource = .system) -> SecretKey {
        while true {
            // Fewer than one in 2^127 draws is no key.
            if let key = try? SecretKey(SecretBytes(count: 32) { random.fill($0) }) { return key }
        }
    }

    /// Calls `body` with the 32 big-endian bytes, which are valid only during the call.
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// The public key that belongs to it. Computed at each call, which costs about as much as a signature: keep the result,
    /// or a ``KeyPair``.
    public var publicKey: PublicKey {
        KeyPair(self).publicKey
    }

    /// The x coordinate of the product of this key and the other's point, 32 bytes: the raw shared secret of ECDH, unhashed,
    /// that NIP-44 feeds into its key derivation. Both sides of a conversation get the same.
    public func sharedX(with other: PublicKey) -> SecretBytes {
        SecretBytes(count: 32) { target in
            let done = withUnsafeBytes { scalar in
                withUnsafePointer(to: other.point) { point in
                    secp256k1_ecdh(Secp256k1.context, target.bound!, point, scalar.bound!, copyX, nil)
                }
            }
            // The scalar is a key and the point is on the curve, so there is a product.
            precondition(done == 1, "libsecp256k1 refused a valid key")
        }
    }
}

/// What libsecp256k1 calls with the product: hands the x coordinate out as it is.
private let copyX:
    @convention(c) (
        UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafeMutableRawPointer?
    ) -> Int32 = { output, x, _, _ in
        guard let output, let x else { return 0 }
        output.update(from: x, count: 32)
        return 1
    }

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SecretKey(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
