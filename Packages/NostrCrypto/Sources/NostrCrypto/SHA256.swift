internal import COpenSSL

/// SHA-256 (FIPS 180-4), in one shot or as a stream. Nothing is allocated.
///
/// ```swift
/// let digest = SHA256.hash(Array("abc".utf8))
/// var stream = SHA256()
/// stream.update(Array("a".utf8))
/// stream.update(Array("bc".utf8))
/// stream.finalize() == digest
/// ```
public struct SHA256: Sendable {
    /// Bytes of a digest.
    public static let byteCount = 32

    var state = SHA256_CTX()

    /// A stream that has seen nothing.
    public init() {
        SHA256_Init(&state)
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        SHA256_Update(&state, start, bytes.count)
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: Bytes32) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything taken so far. The stream itself stays as it is and may go on.
    public func finalize() -> Bytes32 {
        var copy = self
        return Bytes32(writtenBy: { SHA256_Final($0, &copy.state) })
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
        var stream = SHA256()
        stream.update(bytes)
        return Bytes32(writtenBy: { SHA256_Final($0, &stream.state) })
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: RawSpan) -> Bytes32 {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> Bytes32 {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of the UTF-8 of `text`.
    public static func hash(_ text: String) -> Bytes32 {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }
}

extension Bytes32 {
    /// 32 bytes that `write` puts in place.
    init(writtenBy write: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = .zero
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            write(start.assumingMemoryBound(to: UInt8.self))
        }
    }

    mutating func withUnsafeMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeMutableBytes(of: &self, body)
    }
}
