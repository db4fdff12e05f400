/// Why a reconciliation ended, a case for each thing a caller can act on.
public enum NegentropyError: Error, Equatable, Sendable {
    /// The message is empty or does not begin with a Negentropy version byte (`0x60` ... `0x6f`).
    case notNegentropy
    /// The other side speaks only another version; the value is its version byte (`0x61` is version 1).
    case unsupportedVersion(UInt8)
    /// The message ends in the middle of a range.
    case truncatedMessage
    /// The message breaks a rule of NIP-77; the value says which.
    case malformedMessage(MalformedReason)
    /// The server listed IDs for a part of the set that it was not asked about.
    case rangeNotAsked
    /// The reconciliation is complete (or not begun), so no message was expected.
    case unexpectedMessage
    /// The server had more turns than allowed and the sets still differ.
    case tooManyRounds(limit: Int)
    /// The server split the set into more separate ranges than allowed.
    case tooManyRanges(limit: Int)
    /// A frame size limit below ``NegentropyFrame/minimumSize``.
    case frameSizeLimitTooSmall(minimum: Int)
    /// An item uses the timestamp 2^64 - 1, which stands for infinity.
    case reservedTimestamp
    /// The set that was handed in broke its promise: its items are not in ascending order, or it named an index outside of
    /// the range it was asked about.
    case unsortedSet

    /// What is wrong with a message.
    public enum MalformedReason: Equatable, Sendable {
        /// A variable-size integer is longer than needed or above 2^64 - 1.
        case varint
        /// An ID prefix is longer than 32 bytes, or infinity has a prefix.
        case idPrefix
        /// A bound lies below the one before it, or behind infinity.
        case order
        /// A bound's timestamp is 2^64 - 1 or above.
        case timestamp
        /// A range has a mode other than skip, fingerprint or ID list.
        case mode
    }
}

extension NegentropyError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .notNegentropy: "The message is not a Negentropy message."
        case .unsupportedVersion(let byte): "The other side supports only Negentropy version \(Int(byte) - 0x60)."
        case .truncatedMessage: "The Negentropy message is cut off."
        case .malformedMessage(.varint): "The Negentropy message has a badly encoded integer."
        case .malformedMessage(.idPrefix): "The Negentropy message has a bad ID prefix."
        case .malformedMessage(.order): "The ranges of the Negentropy message are not in ascending order."
        case .malformedMessage(.timestamp): "The Negentropy message has a timestamp that is too large."
        case .malformedMessage(.mode): "The Negentropy message has a range of an unknown mode."
        case .rangeNotAsked: "The server listed IDs that it was not asked for."
        case .unexpectedMessage: "The reconciliation is not waiting for a message."
        case .tooManyRounds(let limit): "The sets still differ after \(limit) rounds."
        case .tooManyRanges(let limit): "The sets differ in more than \(limit) separate ranges."
        case .frameSizeLimitTooSmall(let minimum): "The frame size limit must be at least \(minimum) bytes."
        case .unsortedSet: "The local set of events is not sorted."
        case .reservedTimestamp: "The largest timestamp is reserved and no event may have it."
        }
    }
}
