public import Sockets

/// What can go wrong in this package. Each case is one thing a caller can act on.
public enum WebSocketError: Error, Equatable, Sendable {
    /// The text is not a ws:// or wss:// URL with a host. The value is the text that was given.
    case invalidURL(String)
    /// The connection below could not be made, or broke.
    case transport(SocketsError)
    /// The other end answered the upgrade with another HTTP status than 101.
    case refused(status: Int)
    /// The other end's part of the opening handshake breaks RFC 6455 section 4 or RFC 7692 section 7.
    case handshake(HandshakeFault)
    /// The other end broke the protocol; the connection is closed with the violation's close code.
    case violation(ProtocolViolation)
    /// The step did not finish before its deadline.
    case timedOut(Step)
    /// The message is larger than this end may send. Sizes in bytes.
    case messageTooLarge(bytes: Int, limit: Int)
    /// The connection is closed, or was closed while waiting.
    case closed(CloseStatus)
    /// The task that waited was cancelled.
    case cancelled

    /// The step that missed its deadline.
    public enum Step: String, Equatable, Sendable {
        /// Name resolution, connecting, TLS and the opening handshake together.
        case opening
        /// Waiting for room in the buffer of outgoing bytes.
        case sending
        /// Waiting for the answer to a ping.
        case pong
        /// Waiting for the other end's close frame.
        case closing
    }
}

extension WebSocketError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .invalidURL(let text): "\"\(text)\" is not a WebSocket URL: write ws://host or wss://host."
        case .transport(let error): error.description
        case .refused(let status): "The server answered with status \(status) instead of opening a WebSocket."
        case .handshake(let fault): fault.description
        case .violation(let violation): violation.description
        case .timedOut(.opening): "The WebSocket did not open in time."
        case .timedOut(.sending): "The other end did not take what was sent in time."
        case .timedOut(.pong): "The other end did not answer a ping in time."
        case .timedOut(.closing): "The other end did not answer the close frame in time."
        case .messageTooLarge(let bytes, let limit): "A message of \(bytes) bytes is larger than the limit of \(limit)."
        case .closed(let status): status.description
        case .cancelled: "The operation was cancelled."
        }
    }
}
