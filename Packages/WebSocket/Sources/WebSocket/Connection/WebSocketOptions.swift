/// How a connection behaves once it is open. The same for both ends. A value: change a copy.
public struct WebSocketOptions: Sendable {
    /// How much of the other end's input is taken.
    public var limits = MessageLimits()
    /// How this end compresses, where that was agreed on.
    public var compression = CompressionSettings()
    /// When nothing has come for so long, a ping is sent; nil sends none, and a dead peer is then never noticed.
    public var pingInterval: Duration? = .seconds(55)
    /// How long after a ping something must come from the other end.
    public var pongTimeout: Duration = .seconds(20)
    /// How long the other end may take for one message, from its first byte to its last, while this end reads; then the
    /// connection is closed with code 1008. Nil: as long as it likes, so that what it has sent so far is held as long.
    public var messageTimeout: Duration?
    /// How long the other end may take to answer a close frame, and then to end the connection.
    public var closeTimeout: Duration = .seconds(5)
    /// How long a send may wait for room before the connection is given up.
    public var sendTimeout: Duration = .seconds(30)
    /// How many bytes of messages wait for the reader before the socket is read no further; one message may exceed it.
    public var receiveBufferBytes = 1 << 20
    /// How many frames are dealt with before other connections of the loop have their turn: a bound on what a flood of small
    /// ones costs them.
    public var framesPerTurn = 256
    /// The largest message that is sent, bytes.
    public var largestSentMessage = 16 << 20

    /// The default values.
    public init() {}
}
