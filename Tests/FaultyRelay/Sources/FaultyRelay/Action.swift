public import NostrEvents
public import WebSocket

/// What a scripted relay does to a client.
public enum Action: Sendable {
    /// Sends a message of the protocol.
    case send(RelayMessage)
    /// Sends any text, or bytes that claim to be text.
    case text([UInt8])
    /// Sends a binary message.
    case binary([UInt8])
    /// Does the rest of the list after a time on the relay's clock.
    case wait(Duration)
    /// Resets the connection.
    case drop
    /// Ends its own side of the connection without a close frame.
    case halfClose
    /// Closes in order.
    case close(CloseCode, reason: String)
    /// Reads no more from this client.
    case stopReading

    /// Any text.
    public static func text(_ text: String) -> Action { .text(Array(text.utf8)) }
}
