/// How much of the other end's input is taken before the connection is closed.
public struct MessageLimits: Hashable, Sendable {
    /// Payload of one frame, bytes.
    public var frameBytes: Int
    /// Payload of one message as it is on the wire, over all its frames, bytes.
    public var messageBytes: Int
    /// One message after inflating, bytes. Inflating stops here: nothing beyond is ever produced.
    public var inflatedBytes: Int
    /// Frames of one message.
    public var fragments: Int

    /// Limits in bytes and frames; each is at least 1, and the sizes default to 16 MiB.
    public init(
        frameBytes: Int = 16 << 20,
        messageBytes: Int = 16 << 20,
        inflatedBytes: Int = 16 << 20,
        fragments: Int = 16 << 10
    ) {
        self.frameBytes = max(1, frameBytes)
        self.messageBytes = max(1, messageBytes)
        self.inflatedBytes = max(1, inflatedBytes)
        self.fragments = max(1, fragments)
    }
}
