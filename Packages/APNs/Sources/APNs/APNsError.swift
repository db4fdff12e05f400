public import Sockets

/// What can go wrong with notifications: a case for each thing that a caller can act on. Nothing here shows a device token, a
/// key or a payload.
public enum APNsError: Error, Equatable, Sendable {
    /// The payload has more than 4,096 bytes; how many.
    case payloadTooLarge(Int)
    /// A field of the payload is named `aps` or is there twice.
    case invalidPayload
    /// The device token has characters that are no letters or digits, or has none.
    case invalidDeviceToken
    /// The collapse id is empty or has more than 64 bytes, or the topic cannot be sent in a header.
    case invalidHeader(String)
    /// The key is no private key of P-256 in PEM; what is wrong.
    case unusableKey(String)
    /// OpenSSL could not sign.
    case signingFailed
    /// The key id or the team id is not ten letters and digits.
    case invalidIdentifier(String)
    /// No connection to Apple could be made, or it broke before the request was sent. It may be sent again.
    case connection(SocketsError)
    /// The other side does not speak HTTP/2, or broke its rules.
    case protocolViolation(String)
    /// The connection or the stream ended after the request was sent and before its answer: it may or may not have been
    /// delivered.
    case interrupted
    /// The other side said that it did not look at the request, with GOAWAY or REFUSED_STREAM. It may be sent again.
    case unprocessed
    /// No answer within the time that the caller gave: it may or may not have been delivered.
    case timedOut
    /// The task was cancelled: it may or may not have been delivered.
    case cancelled
    /// The client was closed.
    case closed
    /// More requests wait than the client holds.
    case overloaded
}

extension APNsError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .payloadTooLarge(let size):
            "The notification has \(size) bytes, and Apple takes \(APNsPayload.maximumSize)."
        case .invalidPayload: "A field of the notification is named aps or is there twice."
        case .invalidDeviceToken: "The device token is not made of letters and digits."
        case .invalidHeader(let name): "The value of \(name) cannot be sent."
        case .unusableKey(let reason): "The signing key cannot be used: \(reason)."
        case .signingFailed: "The provider token could not be signed."
        case .invalidIdentifier(let name): "The \(name) is not ten letters and digits."
        case .connection(let error): error.description
        case .protocolViolation(let reason): "The push service does not keep to HTTP/2: \(reason)."
        case .interrupted: "The connection to the push service ended before its answer."
        case .unprocessed: "The push service did not process the request."
        case .timedOut: "The push service did not answer in time."
        case .cancelled: "The request was cancelled."
        case .closed: "The push client is closed."
        case .overloaded: "Too many notifications wait to be sent."
        }
    }
}
