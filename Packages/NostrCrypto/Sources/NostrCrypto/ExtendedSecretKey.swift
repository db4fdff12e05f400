internal import COpenSSL
internal import CSecp256k1

/// A secret key from which others are derived (BIP-32). Shows nothing when printed.
public struct ExtendedSecretKey: Sendable, Equatable {
    /// One step of a path.
    public enum Step: Sendable, Equatable {
        /// Written with an apostrophe: nobody can compute the child's public key without the secret. Up to 2^31 - 1.
        case hardened(UInt32)
        /// Up to 2^31 - 1.
        case normal(UInt32)
    }

    /// The key itself, for use outside of the tree.
    public let secretKey: SecretKey
    /// 32 bytes that derivation mixes in, as secret as the key.
    public let chainCode: SecretBytes

    /// The root of a tree.
    /// - Parameter seed: 16 to 64 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` (naming the 64 bytes of BIP-39),
    ///   ``CryptoError/derivationFailed`` or ``CryptoError/libraryFailure``.
    public init(seed: SecretBytes) throws(CryptoError) {
        guard (16...64).contains(seed.count) else { throw .invalidLength(expected: 64, actual: seed.count) }
        let label = SecretBytes("Bitcoin seed".utf8)
        let code = try Self.authenticationCode(key: label, seed)
        let (left, right) = Self.halves(code)
        guard let key = try? SecretKey(left) else { throw .derivationFailed }
        self.init(key, chainCode: right)
    }

    private init(_ secretKey: SecretKey, chainCode: SecretBytes) {
        self.secretKey = secretKey
        self.chainCode = chainCode
    }

    /// The key at the end of a path that starts here.
    /// - Throws: ``CryptoError/invalidDerivationIndex(_:)``, ``CryptoError/derivationFailed`` or
    ///   ``CryptoError/libraryFailure``.
    public func derived(_ path: [Step]) throws(CryptoError) -> ExtendedSecretKey {
        var key = self
        for step in path { key = try key.child(step) }
        return key
    }

    private func child(_ step: Step) throws(CryptoError) -> ExtendedSecretKey {
        let hardenedBit: UInt32 = 0x8000_0000
        let number: UInt32
        switch step {
        case .hardened(let index), .normal(let index):
            guard index < hardenedBit else { throw .invalidDerivationIndex(index) }
            number = if case .hardened = step { index | hardenedBit } else { index }
        }
        let data = SecretBytes(count: 37) { target in
            if number & hardenedBit != 0 {
                secretKey.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: target[1..<33]).copyMemory(from: $0)
                }
            } else {
                writeCompressedPoint(to: UnsafeMutableRawBufferPointer(rebasing: target[..<33]))
            }
            target.storeBytes(of: number.bigEndian, toByteOffset: 33, as: UInt32.self)
        }
        let code = try Self.authenticationCode(key: chainCode, data)
        let (left, right) = Self.halves(code)
        let sum = try SecretBytes(count: 32) { (target) throws(CryptoError) in
            secretKey.withUnsafeBytes { target.copyMemory(from: $0) }
            let done = left.withUnsafeBytes {
                secp256k1_ec_seckey_tweak_add(Secp256k1.context, target.bound!, $0.bound!)
            }
            guard done == 1 else { throw .derivationFailed }
        }
        return ExtendedSecretKey(try SecretKey(sum), chainCode: right)
    }

    /// 33 bytes; y may be odd, other than in a ``PublicKey``.
    private func writeCompressedPoint(to target: UnsafeMutableRawBufferPointer) {
        var point = secp256k1_pubkey()
        var count = target.count
        let isDone =
            secretKey.withUnsafeBytes { secp256k1_ec_pubkey_create(Secp256k1.context, &point, $0.bound!) } == 1
            && secp256k1_ec_pubkey_serialize(
                Secp256k1.context,
                target.bound!,
                &count,
                &point,
                UInt32(SECP256K1_EC_COMPRESSED)
            ) == 1
        // A secret key is in range by its type.
        precondition(isDone, "libsecp256k1 refused a valid key")
    }

    /// HMAC-SHA512.
    private static func authenticationCode(key: SecretBytes, _ data: SecretBytes) throws(CryptoError) -> SecretBytes {
        try SecretBytes(count: 64) { (target) throws(CryptoError) in
            let code = key.withUnsafeBytes { key in
                data.withUnsafeBytes { data in
                    HMAC(EVP_sha512(), key.baseAddress, Int32(key.count), data.bound, data.count, target.bound, nil)
                }
            }
            guard code != nil else { throw .libraryFailure }
        }
    }

    private static func halves(_ code: SecretBytes) -> (SecretBytes, SecretBytes) {
        code.withUnsafeBytes { (SecretBytes($0.prefix(32)), SecretBytes($0.dropFirst(32))) }
    }
}

extension ExtendedSecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ExtendedSecretKey(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
