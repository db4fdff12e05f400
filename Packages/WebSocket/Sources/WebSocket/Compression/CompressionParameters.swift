/// What both ends agreed on for permessage-deflate (RFC 7692 section 7.1).
public struct CompressionParameters: Hashable, Sendable {
    /// The server's messages do not refer to earlier ones.
    public var serverNoContextTakeover: Bool
    /// The client's messages do not refer to earlier ones.
    public var clientNoContextTakeover: Bool
    /// Base-2 logarithm of the server's window, 8 to 15.
    public var serverMaxWindowBits: Int
    /// Base-2 logarithm of the client's window, 8 to 15.
    public var clientMaxWindowBits: Int

    /// Parameters; window bits outside 8...15 are moved to the nearer end.
    public init(
        serverNoContextTakeover: Bool = false,
        clientNoContextTakeover: Bool = false,
        serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = min(15, max(8, serverMaxWindowBits))
        self.clientMaxWindowBits = min(15, max(8, clientMaxWindowBits))
    }
}
