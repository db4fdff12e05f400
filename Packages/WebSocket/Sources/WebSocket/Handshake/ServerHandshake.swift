import Sockets

/// The server's side of the opening handshake (RFC 6455 section 4.2), without sockets.
struct ServerHandshake: Sendable {
    /// Subprotocols that this server speaks, in order of preference.
    let subprotocols: [String]
    /// Nil: nothing is compressed.
    let compression: CompressionPolicy?

    init(subprotocols: [String] = [], compression: CompressionPolicy? = CompressionPolicy()) {
        self.subprotocols = subprotocols
        self.compression = compression
    }

    /// Checks a request.
    ///
    /// - Returns: what is agreed on, and the response, ready to be sent.
    func accept(
        _ request: HTTPRequestHead
    ) throws(HandshakeFault) -> (agreement: HandshakeAgreement, response: [UInt8]) {
        guard request.method == "GET", request.minorVersion == 1 else { throw .request }
        let fields = request.fields
        guard fields.lists("websocket", in: "upgrade") else { throw .upgrade }
        guard fields.lists("upgrade", in: "connection") else { throw .connection }
        guard fields.single("sec-websocket-version") == "13" else { throw .version }
        guard let key = fields.single("sec-websocket-key").flatMap({ HandshakeKey($0) }) else { throw .key }
        guard let offered = Self.tokens(fields.values("sec-websocket-protocol")) else { throw .subprotocol }

        var agreement = HandshakeAgreement()
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(key.accept)",
        ]
        if let name = subprotocols.first(where: offered.contains) {
            agreement.subprotocol = name
            lines.append("Sec-WebSocket-Protocol: \(name)")
        }
        if let chosen = try compression?.choose(from: fields.values("sec-websocket-extensions")) {
            agreement.compression = chosen.parameters
            lines.append("Sec-WebSocket-Extensions: \(chosen.headerValue)")
        }
        return (agreement, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    /// All tokens of the lists in these values; nil when one is no token.
    private static func tokens(_ values: [String]) -> [String]? {
        var tokens: [String] = []
        for value in values {
            var scanner = HeaderScanner(value)
            guard let list = scanner.list({ $0.token() }) else { return nil }
            tokens += list
        }
        return tokens
    }

    /// The response to a request that cannot be accepted; the connection ends after it.
    static func refusal(of fault: HandshakeFault) -> [UInt8] {
        let sentence = fault.description
        let status = fault == .version ? "426 Upgrade Required" : "400 Bad Request"
        let lines = [
            "HTTP/1.1 \(status)", "Sec-WebSocket-Version: 13", "Connection: close", "Content-Type: text/plain",
            "Content-Length: \(sentence.utf8.count + 1)", "", sentence + "\n",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
