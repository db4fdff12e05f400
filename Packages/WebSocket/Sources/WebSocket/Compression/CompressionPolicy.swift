/// What a server makes of a client's offers of permessage-deflate (RFC 7692 section 7.1).
public struct CompressionPolicy: Hashable, Sendable {
    /// The server's messages will not refer to earlier ones, so that nothing is kept for an idle connection.
    public var serverNoContextTakeover: Bool
    /// Tells the client not to refer to earlier messages, so that nothing is kept for an idle connection.
    public var clientNoContextTakeover: Bool
    /// The largest window of the server, 8 to 15.
    public var serverMaxWindowBits: Int
    /// The largest window of the client, 8 to 15. A client that cannot be limited is not compressed with when this is
    /// under 15.
    public var clientMaxWindowBits: Int

    /// A policy; by default neither end keeps context and windows are as large as the client allows.
    public init(
        serverNoContextTakeover: Bool = true,
        clientNoContextTakeover: Bool = true,
        serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = min(15, max(8, serverMaxWindowBits))
        self.clientMaxWindowBits = min(15, max(8, clientMaxWindowBits))
    }

    /// Chooses the first offer that can be accepted.
    ///
    /// - Parameter values: every `Sec-WebSocket-Extensions` header of the request. Extensions and offers that are
    ///   unknown or not acceptable are passed over, as the RFC demands.
    /// - Returns: what is agreed on and the header value to answer with; nil to go on without compression.
    /// - Throws: `.extensions` when the header is not written as RFC 6455 section 9.1 says.
    public func choose(
        from values: [String]
    ) throws(HandshakeFault) -> (parameters: CompressionParameters, headerValue: String)? {
        guard let offers = WebSocketExtension.parse(values) else { throw .extensions }
        for offer in offers where offer.name == WebSocketExtension.deflate {
            if let answer = DeflateParameters(offer, isOffer: true).flatMap(accept) { return answer }
        }
        return nil
    }

    private func accept(_ offer: DeflateParameters) -> (parameters: CompressionParameters, headerValue: String)? {
        let serverBits = min(serverMaxWindowBits, offer.serverMaxWindowBits ?? 15)
        let clientBits = min(clientMaxWindowBits, offer.clientMaxWindowBits ?? 15)
        let clientIsLimited = clientMaxWindowBits < (offer.clientMaxWindowBits ?? 15)
        if clientIsLimited, !offer.namesClientWindow { return nil }
        let agreed = CompressionParameters(
            serverNoContextTakeover: serverNoContextTakeover || offer.serverNoContextTakeover,
            clientNoContextTakeover: clientNoContextTakeover || offer.clientNoContextTakeover,
            serverMaxWindowBits: serverBits,
            clientMaxWindowBits: clientBits
        )
        var parameters: [WebSocketExtension.Parameter] = []
        if agreed.serverNoContextTakeover { parameters.append(.init("server_no_context_takeover")) }
        if agreed.clientNoContextTakeover { parameters.append(.init("client_no_context_takeover")) }
        if serverBits < 15 || offer.serverMaxWindowBits != nil {
            parameters.append(.init("server_max_window_bits", String(serverBits)))
        }
        if clientBits < 15 { parameters.append(.init("client_max_window_bits", String(clientBits))) }
        let answer = WebSocketExtension(name: WebSocketExtension.deflate, parameters: parameters)
        return (agreed, answer.headerValue)
    }
}
