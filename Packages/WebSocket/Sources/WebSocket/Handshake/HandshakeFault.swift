/// What is wrong with the other end's part of the opening handshake (RFC 6455 section 4).
public enum HandshakeFault: Error, Equatable, Sendable {
    /// The request is not a GET of HTTP/1.1 or later.
    case request
    /// The head is not HTTP/1.1, has no single `Host`, or is longer than the limit.
    case head
    /// The `Upgrade` header does not say `websocket`.
    case upgrade
    /// The `Connection` header does not say `Upgrade`.
    case connection
    /// `Sec-WebSocket-Version` is not 13.
    case version
    /// `Sec-WebSocket-Key` is missing, repeated, or not the base64 of 16 bytes.
    case key
    /// `Sec-WebSocket-Accept` is missing or does not belong to the key.
    case accept
    /// `Sec-WebSocket-Protocol` is malformed, or names a protocol that was not offered.
    case subprotocol
    /// `Sec-WebSocket-Extensions` is malformed, or names what was not offered.
    case extensions
    /// A header that the caller wants to add is malformed or belongs to the handshake.
    case addedHeader(String)
}

extension HandshakeFault: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .request: "The request is not a GET of HTTP/1.1."
        case .head: "The head is not valid HTTP, or it is too long."
        case .upgrade: "The Upgrade header does not say websocket."
        case .connection: "The Connection header does not say Upgrade."
        case .version: "The WebSocket version is not 13."
        case .key: "The Sec-WebSocket-Key header is not valid."
        case .accept: "The Sec-WebSocket-Accept header does not belong to the request."
        case .subprotocol: "The Sec-WebSocket-Protocol header is not valid."
        case .extensions: "The Sec-WebSocket-Extensions header is not valid."
        case .addedHeader(let name): "The header \(name) cannot be added to the request."
        }
    }
}
