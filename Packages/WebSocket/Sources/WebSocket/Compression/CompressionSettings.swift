/// How this end compresses what it sends, where permessage-deflate was agreed on.
public struct CompressionSettings: Hashable, Sendable {
    /// Messages shorter than this many bytes are sent as they are.
    public var threshold: Int
    /// zlib's level, 1 (fast) to 9 (small).
    public var level: Int
    /// Whether messages may refer to earlier ones where the handshake allows it. That compresses better, and keeps
    /// about 268 KB per connection.
    public var keepsContext: Bool

    /// Settings; a level outside 1...9 is moved to the nearer end.
    public init(threshold: Int = 256, level: Int = 3, keepsContext: Bool = false) {
        self.threshold = max(0, threshold)
        self.level = min(9, max(1, level))
        self.keepsContext = keepsContext
    }
}
