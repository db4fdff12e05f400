/// A client's offer of permessage-deflate (RFC 7692 section 7.1).
public struct CompressionOffer: Hashable, Sendable {
    /// Asks the server to send messages that do not refer to earlier ones, which saves 32 KB here per connection.
    public var serverNoContextTakeover: Bool
    /// Tells the server that this client's messages need not refer to earlier ones.
    public var clientNoContextTakeover: Bool
    /// The largest window the server may use, 8 to 15; nil leaves it free.
    public var serverMaxWindowBits: Int?
    /// What the client says about its own window.
    public var clientMaxWindowBits: ClientWindow

    /// What an offer says about the client's own window.
    public enum ClientWindow: Hashable, Sendable {
        /// The server may not limit it.
        case fixed
        /// The server may limit it.
        case limitable
        /// The client will not use more than these bits, 8 to 15, and the server may limit it further.
        case atMost(Int)
    }

    /// An offer; the default leaves the server free and lets it limit this client.
    public init(
        serverNoContextTakeover: Bool = false,
        clientNoContextTakeover: Bool = false,
        serverMaxWindowBits: Int? = nil,
        clientMaxWindowBits: ClientWindow = .limitable
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits.map { min(15, max(8, $0)) }
        if case .atMost(let bits) = clientMaxWindowBits {
            self.clientMaxWindowBits = .atMost(min(15, max(8, bits)))
        } else {
            self.clientMaxWindowBits = clientMaxWindowBits
        }
    }

    /// The offer as one element of `Sec-WebSocket-Extensions`.
    public var headerValue: String {
        var parameters: [WebSocketExtension.Parameter] = []
        if serverNoContextTakeover { parameters.append(.init("server_no_context_takeover")) }
        if clientNoContextTakeover { parameters.append(.init("client_no_context_takeover")) }
        if let bits = serverMaxWindowBits { parameters.append(.init("server_max_window_bits", String(bits))) }
        switch clientMaxWindowBits {
        case .fixed: break
        case .limitable: parameters.append(.init("client_max_window_bits"))
        case .atMost(let bits): parameters.append(.init("client_max_window_bits", String(bits)))
        }
        return WebSocketExtension(name: WebSocketExtension.deflate, parameters: parameters).headerValue
    }

    /// Checks the server's answer against this offer (RFC 7692 section 7.1).
    ///
    /// - Parameter values: every `Sec-WebSocket-Extensions` header of the response.
    /// - Returns: what was agreed on, nil when the server answered without extensions.
    /// - Throws: `.extensions` when the answer is not a subset of the offer or is written wrongly.
    public func agreed(by values: [String]) throws(HandshakeFault) -> CompressionParameters? {
        guard let accepted = try CompressionOffer.single(values) else { return nil }
        guard let answer = DeflateParameters(accepted, isOffer: false) else { throw .extensions }
        if serverNoContextTakeover, !answer.serverNoContextTakeover { throw .extensions }
        if let limit = serverMaxWindowBits {
            guard let bits = answer.serverMaxWindowBits, bits <= limit else { throw .extensions }
        }
        var own = 15
        switch clientMaxWindowBits {
        case .fixed:
            guard answer.clientMaxWindowBits == nil else { throw .extensions }
        case .limitable:
            own = answer.clientMaxWindowBits ?? 15
        case .atMost(let bits):
            own = min(bits, answer.clientMaxWindowBits ?? bits)
        }
        return CompressionParameters(
            serverNoContextTakeover: answer.serverNoContextTakeover,
            clientNoContextTakeover: answer.clientNoContextTakeover,
            serverMaxWindowBits: answer.serverMaxWindowBits ?? 15,
            clientMaxWindowBits: own
        )
    }

    /// The one extension a response may name when permessage-deflate is all that was offered.
    static func single(_ values: [String]) throws(HandshakeFault) -> WebSocketExtension? {
        guard let all = WebSocketExtension.parse(values) else { throw .extensions }
        guard let first = all.first else { return nil }
        guard all.count == 1, first.name == WebSocketExtension.deflate else { throw .extensions }
        return first
    }
}
