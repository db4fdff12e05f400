public import NostrCrypto

/// The id of an event: the SHA-256 of its serialisation (NIP-01). Ids order as their bytes and as their hex do.
public struct EventID: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The 32 bytes.
    public let bytes: Bytes32

    /// The id of 32 bytes.
    public init(_ bytes: Bytes32) {
        self.bytes = bytes
    }

    /// The id of 64 lower-case hexadecimal digits.
    /// - Throws: ``EventError/invalidHex``.
    public init(hex: String) throws(EventError) {
        do {
            bytes = try Bytes32(hex: hex)
        } catch {
            throw .invalidHex
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { bytes.hex }

    public static func < (left: EventID, right: EventID) -> Bool {
        left.bytes < right.bytes
    }
}

extension EventID: CustomStringConvertible {
    public var description: String { hex }
}
