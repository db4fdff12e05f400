/// How the other end broke RFC 6455 or RFC 7692, or passed a limit of this end.
public enum ProtocolViolation: Error, Equatable, Sendable {
    /// A reserved bit is set that no negotiated extension defines (RFC 6455 section 5.2).
    case reservedBits
    /// The opcode is not defined.
    case unknownOpcode(UInt8)
    /// A close, ping or pong frame without FIN (section 5.5).
    case fragmentedControlFrame
    /// A close, ping or pong frame with more than 125 bytes (section 5.5).
    case oversizedControlFrame
    /// A length written longer than needed, or beyond 2^63 - 1 (section 5.2).
    case invalidLength
    /// A client's frame without a mask (section 5.1).
    case maskMissing
    /// A server's frame with a mask (section 5.1).
    case maskForbidden
    /// A continuation frame with no message to continue (section 5.4).
    case unexpectedContinuation
    /// A new data frame while a fragmented message is unfinished (section 5.4).
    case unfinishedMessage
    /// A close frame with a body of one byte (section 5.5.1).
    case invalidCloseFrame
    /// A close code that must not appear on the wire (section 7.4).
    case invalidCloseCode(UInt16)
    /// Text, or the reason of a close frame, that is not UTF-8 (section 8.1).
    case invalidUTF8
    /// A compressed message that does not inflate (RFC 7692 section 7.2.2).
    case corruptCompression
    /// A frame above the limit, in bytes.
    case frameTooLarge(limit: Int)
    /// A message above the limit, in bytes as they are on the wire.
    case messageTooLarge(limit: Int)
    /// A message that inflates to more than the limit, in bytes.
    case inflatedMessageTooLarge(limit: Int)
    /// A message in more frames than the limit.
    case tooManyFragments(limit: Int)

    /// The code to close the connection with (RFC 6455 section 7.4.1).
    public var closeCode: CloseCode {
        switch self {
        case .invalidUTF8, .corruptCompression: .invalidPayload
        case .frameTooLarge, .messageTooLarge, .inflatedMessageTooLarge: .messageTooBig
        case .tooManyFragments: .policyViolation
        default: .protocolError
        }
    }
}

extension ProtocolViolation: CustomStringConvertible {
    /// One plain sentence, short enough for the reason of a close frame.
    public var description: String {
        switch self {
        case .reservedBits: "A reserved bit is set."
        case .unknownOpcode(let opcode): "The opcode \(opcode) is not defined."
        case .fragmentedControlFrame: "A control frame is fragmented."
        case .oversizedControlFrame: "A control frame is longer than 125 bytes."
        case .invalidLength: "A frame length is not written in the shortest form."
        case .maskMissing: "A client frame is not masked."
        case .maskForbidden: "A server frame is masked."
        case .unexpectedContinuation: "A continuation frame has no message to continue."
        case .unfinishedMessage: "A message began before the last one was finished."
        case .invalidCloseFrame: "A close frame has a body of one byte."
        case .invalidCloseCode(let code): "The close code \(code) is not allowed."
        case .invalidUTF8: "Text is not valid UTF-8."
        case .corruptCompression: "A compressed message is corrupt."
        case .frameTooLarge(let limit): "A frame is larger than \(limit) bytes."
        case .messageTooLarge(let limit): "A message is larger than \(limit) bytes."
        case .inflatedMessageTooLarge(let limit): "A message inflates to more than \(limit) bytes."
        case .tooManyFragments(let limit): "A message has more than \(limit) fragments."
        }
    }
}
