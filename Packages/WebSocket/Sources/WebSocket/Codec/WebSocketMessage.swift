/// One whole message, text or binary.
public struct WebSocketMessage: Hashable, Sendable {
    /// What the payload is.
    public enum Kind: Hashable, Sendable {
        /// UTF-8 text.
        case text
        /// Any bytes.
        case binary
    }

    /// What the payload is.
    public let kind: Kind
    /// The payload. Of a received text message it is valid UTF-8.
    public let bytes: [UInt8]

    /// A message with this payload. For `.text` the bytes must be UTF-8: the other end closes the connection otherwise.
    public init(kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// A text message.
    public static func text(_ text: String) -> WebSocketMessage {
        WebSocketMessage(kind: .text, bytes: Array(text.utf8))
    }

    /// A binary message.
    public static func binary(_ bytes: [UInt8]) -> WebSocketMessage {
        WebSocketMessage(kind: .binary, bytes: bytes)
    }

    /// The payload as text; nil for a binary message.
    public var text: String? {
        kind == .text ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
