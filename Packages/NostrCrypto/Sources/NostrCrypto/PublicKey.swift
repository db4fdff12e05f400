internal import CSecp256k1

/// A Nostr public key: the x coordinate of a point on secp256k1 whose y is even (BIP-340). To hold one is to know that the
/// point exists.
///
/// The parsed point is kept beside the coordinate, so that verifying and ECDH need no second square root. A value takes 96
/// bytes; where many keys are only compared, keep their ``bytes``.
public struct PublicKey: Sendable {
    /// The x coordinate, 32 big-endian bytes.
    public let bytes: Bytes32
    let point: secp256k1_pubkey

    /// The key with this x coordinate. Costs a square root (about a tenth of a verification): see ``PublicKeyCache``.
    /// - Throws: ``CryptoError/invalidPublicKey`` when no point has it.
    public init(_ x: Bytes32) throws(CryptoError) {
        var point = secp256k1_pubkey()
        let isOnCurve = withUnsafeTemporaryAllocation(byteCount: 33, alignment: 8) { compressed in
            compressed[0] = 2
            x.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: compressed[1...]).copyMemory(from: $0) }
            return secp256k1_ec_pubkey_parse(Secp256k1.context, &point, compressed.bound!, 33)
        }
        guard isOnCurve == 1 else { throw .invalidPublicKey }
        bytes = x
        self.point = point
    }

    /// The key of 64 lower-case hexadecimal digits.
    /// - Throws: ``CryptoError/invalidHex``, ``CryptoError/invalidLength(expected:actual:)`` or
    ///   ``CryptoError/invalidPublicKey``.
    public init(hex text: String) throws(CryptoError) {
        try self.init(Bytes32(hex: text))
    }

    /// A point with even y and its x coordinate, both known to be valid.
    init(_ x: Bytes32, point: secp256k1_pubkey) {
        bytes = x
        self.point = point
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { bytes.hex }

    /// Whether the owner of this key signed the 32 bytes (BIP-340). Nothing is allocated.
    public func verify(_ signature: Signature, digest: Bytes32) -> Bool {
        digest.withUnsafeBytes { verify(signature, message: $0) }
    }

    /// Whether the owner of this key signed a message of any length as it is, unhashed (BIP-340). Nothing is allocated.
    public func verify(_ signature: Signature, message: UnsafeRawBufferPointer) -> Bool {
        var even = secp256k1_xonly_pubkey()
        return withUnsafePointer(to: point) { point in
            guard secp256k1_xonly_pubkey_from_pubkey(Secp256k1.context, &even, nil, point) == 1 else { return false }
            return signature.withUnsafeBytes { signature in
                secp256k1_schnorrsig_verify(Secp256k1.context, signature.bound!, message.bound, message.count, &even)
                    == 1
            }
        }
    }

    /// Whether the owner of this key signed a message of any length as it is, unhashed (BIP-340).
    public func verify(_ signature: Signature, message: [UInt8]) -> Bool {
        message.withUnsafeBytes { verify(signature, message: $0) }
    }
}

extension PublicKey: Hashable, Comparable {
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// The order of the bytes.
    public static func < (left: PublicKey, right: PublicKey) -> Bool {
        left.bytes < right.bytes
    }
}

extension PublicKey: CustomStringConvertible, CustomReflectable {
    public var description: String { hex }
    public var customMirror: Mirror { Mirror(self, children: ["hex": hex]) }
}
