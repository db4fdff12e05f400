/// Who is given what happens on a ``WebSocketConnection``, on the connection's loop.
///
/// For code that lives on the loop itself, such as an actor whose executor is the same `EventLoop`: it enters itself
/// with `assumeIsolated` and pays no hop. Code elsewhere reads ``WebSocketConnection/messages`` instead. No call is
/// made from within a call that the handler makes.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// Messages have come: all that were there in this turn of the loop, in order.
    func received(_ messages: [WebSocketMessage])

    /// After ``WebSocketConnection/enqueue(_:)`` answered `full` or `refused`: there is room again.
    func writable()

    /// The connection is closed and its socket gone. Called once, and last.
    ///
    /// - Parameters:
    ///   - status: how it ended.
    ///   - error: nil after a closing handshake, whatever its code; else what broke.
    func closed(_ status: CloseStatus, error: WebSocketError?)
}

extension WebSocketHandler {
    /// Does nothing.
    public func writable() {}
}

/// What became of messages given to ``WebSocketConnection/enqueue(_:)``.
public enum EnqueueOutcome: Sendable, Equatable {
    /// They were taken, and there is room for more.
    case taken
    /// They were taken, and the buffer is full: wait for ``WebSocketHandler/writable()``.
    case full
    /// They were NOT taken, because the buffer is full: wait for ``WebSocketHandler/writable()``.
    case refused
    /// They were NOT taken, because one is larger than ``WebSocketOptions/largestSentMessage``.
    case tooLarge
    /// They were NOT taken, because the connection is closed or closing.
    case closed
}
