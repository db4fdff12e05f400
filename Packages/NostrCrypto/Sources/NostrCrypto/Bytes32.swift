/// 32 bytes by value: an event id, a digest, the x coordinate of a public key. Nothing is allocated.
///
/// Values order as their bytes do, which is also how their lower-case hex orders. Comparison takes a time that depends on
/// the values, so secrets belong in ``SecretBytes``.
@frozen
public struct Bytes32: Sendable, Hashable, BitwiseCopyable {
    @usableFromInline var word0: UInt64
    @usableFromInline var word1: UInt64
    @usableFromInline var word2: UInt64
    @usableFromInline var word3: UInt64

    /// Four words as they lie in memory: `word0` holds bytes 0 to 7, loaded in the byte order of this machine.
    @inlinable
    public init(words word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// 32 zero bytes.
    public static let zero = Bytes32(words: 0, 0, 0, 0)

    /// Copies 32 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for any other count.
    @inlinable
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        let count = bytes.count
        guard count == 32 else { throw .invalidLength(expected: 32, actual: count) }
        self.init(words: 0, 0, 0, 0)
        Swift.withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// Copies 32 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for any other count.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
        guard bytes.count == 32 else { throw .invalidLength(expected: 32, actual: bytes.count) }
        self.init(
            words: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// Copies 32 bytes.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` for any other count.
    @inlinable
    public init(_ bytes: RawSpan) throws(CryptoError) {
        self = try bytes.withUnsafeBytes { (buffer) throws(CryptoError) in try Bytes32(buffer) }
    }

    /// Reads 64 lower-case hexadecimal digits, the only form NIP-01 allows. Upper case is refused.
    /// - Throws: ``CryptoError/invalidHex`` for another character, ``CryptoError/invalidLength(expected:actual:)`` (counted
    ///   in bytes of the value) for another length.
    public init(hex text: String) throws(CryptoError) {
        self.init(words: 0, 0, 0, 0)
        try Swift.withUnsafeMutableBytes(of: &self) { (target) throws(CryptoError) in
            try Hex.decode(text, into: target)
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        withUnsafeBytes { Hex.encode($0) }
    }

    /// The bytes as an array.
    public var array: [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }

    /// The words as they lie in memory, in the byte order of this machine; what ``init(words:_:_:_:)`` takes.
    @inlinable
    public var words: (UInt64, UInt64, UInt64, UInt64) {
        (word0, word1, word2, word3)
    }

    /// Calls `body` with the 32 bytes, which are valid only during the call.
    @inlinable
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Swift.withUnsafeBytes(of: self, body)
    }
}

extension Bytes32: Comparable {
    @inlinable
    public static func < (left: Bytes32, right: Bytes32) -> Bool {
        if left.word0 != right.word0 { return left.word0.bigEndian < right.word0.bigEndian }
        if left.word1 != right.word1 { return left.word1.bigEndian < right.word1.bigEndian }
        if left.word2 != right.word2 { return left.word2.bigEndian < right.word2.bigEndian }
        return left.word3.bigEndian < right.word3.bigEndian
    }
}

extension Bytes32: CustomStringConvertible {
    public var description: String { hex }
}
