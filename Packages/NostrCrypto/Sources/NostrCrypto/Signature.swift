/// A BIP-340 signature: 64 bytes, which may or may not be a valid signature of anything.
@frozen
public struct Signature: Sendable, Hashable, BitwiseCopyable {
    /// The x coordinate of the nonce point.
    public var r: Bytes32
    /// The response.
    public var s: Bytes32

    /// A signature of its two halves.
    @inlinable
    public init(r: Bytes32, s: Bytes32) {
        self.r = r
        self.s = s
    }

    static let zero = Signature(r: .zero, s: .zero)

    /// Copies 64 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for any other count.
    @inlinable
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        let count = bytes.count
        guard count == 64 else { throw .invalidLength(expected: 64, actual: count) }
        self.init(r: Bytes32(words: 0, 0, 0, 0), s: Bytes32(words: 0, 0, 0, 0))
        Swift.withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// Copies 64 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for any other count.
    @inlinable
    public init(_ bytes: RawSpan) throws(CryptoError) {
        self = try bytes.withUnsafeBytes { (buffer) throws(CryptoError) in try Signature(buffer) }
    }

    /// Reads 128 lower-case hexadecimal digits, the only form NIP-01 allows.
    /// - Throws: ``CryptoError/invalidHex`` or ``CryptoError/invalidLength(expected:actual:)``.
    public init(hex text: String) throws(CryptoError) {
        self = .zero
        try Swift.withUnsafeMutableBytes(of: &self) { (target) throws(CryptoError) in
            try Hex.decode(text, into: target)
        }
    }

    /// 128 lower-case hexadecimal digits.
    public var hex: String {
        withUnsafeBytes { Hex.encode($0) }
    }

    /// The bytes as an array.
    public var array: [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }

    /// Calls `body` with the 64 bytes, which are valid only during the call.
    @inlinable
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Swift.withUnsafeBytes(of: self, body)
    }
}

extension Signature: CustomStringConvertible {
    public var description: String { hex }
}
