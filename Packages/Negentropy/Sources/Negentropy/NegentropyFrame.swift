import NostrCrypto
import NostrEvents

/// Sizes of messages, in bytes before they are written as hex.
public enum NegentropyFrame {
    /// The smallest limit with which every message still moves the reconciliation on.
    public static let minimumSize = 256
    /// 64 KiB, 128 KiB as hex: what common relays take.
    public static let defaultSize = 65_536

    /// Version 1 of the protocol.
    static let version: UInt8 = 0x61
    /// Timestamp, prefix length, prefix.
    static let maximumBoundSize = 10 + 1 + 32
    /// A range to infinity with a fingerprint.
    static let remainderSize = 1 + 1 + 1 + NegentropyFingerprint.size

    static func check(_ limit: Int?) throws(NegentropyError) -> Int {
        guard let limit else { return .max }
        guard limit >= minimumSize else { throw .frameSizeLimitTooSmall(minimum: minimumSize) }
        return limit
    }
}

/// What a range says, by its number in a message.
enum RangeMode {
    static let skip: UInt64 = 0
    static let fingerprint: UInt64 = 1
    static let idList: UInt64 = 2
}
