import Sockets

/// The client's side of the opening handshake (RFC 6455 section 4.1), without sockets.
struct ClientHandshake: Sendable {
    /// The request, ready to be sent.
    let request: [UInt8]
    private let key: HandshakeKey
    private let subprotocols: [String]
    private let offer: CompressionOffer?

    /// - Parameters:
    ///   - url: where to connect.
    ///   - headers: fields to add, such as `User-Agent`.
    ///   - subprotocols: in order of preference.
    ///   - offer: nil offers no compression.
    ///   - random: 16 random bytes for the key.
    /// - Throws: `.handshake(.addedHeader)` or `.handshake(.subprotocol)` for what cannot be written.
    init(
        url: WebSocketURL,
        headers: [(name: String, value: String)] = [],
        subprotocols: [String] = [],
        offer: CompressionOffer? = nil,
        random: (UInt64, UInt64)
    ) throws(WebSocketError) {
        key = HandshakeKey(random: random)
        self.subprotocols = subprotocols
        self.offer = offer
        guard subprotocols.allSatisfy(HeaderScanner.isToken), Set(subprotocols).count == subprotocols.count else {
            throw .handshake(.subprotocol)
        }
        var lines = [
            "GET \(url.target) HTTP/1.1", "Host: \(url.hostHeader)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key.text)", "Sec-WebSocket-Version: 13",
        ]
        if !subprotocols.isEmpty { lines.append("Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))") }
        if let offer { lines.append("Sec-WebSocket-Extensions: \(offer.headerValue)") }
        for (name, value) in headers {
            guard Self.mayBeAdded(name, value) else { throw .handshake(.addedHeader(name)) }
            lines.append("\(name): \(value)")
        }
        request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Checks the server's answer.
    func agreement(_ response: HTTPResponseHead) throws(WebSocketError) -> HandshakeAgreement {
        guard response.status == 101 else { throw .refused(status: response.status) }
        do throws(HandshakeFault) {
            return try agreement(response.fields)
        } catch {
            throw .handshake(error)
        }
    }

    private func agreement(_ fields: HTTPFields) throws(HandshakeFault) -> HandshakeAgreement {
        guard fields.single("upgrade")?.lowercased() == "websocket" else { throw .upgrade }
        guard fields.lists("upgrade", in: "connection") else { throw .connection }
        guard fields.single("sec-websocket-accept") == key.accept else { throw .accept }
        let names = fields.values("sec-websocket-protocol")
        guard names.count <= 1, names.allSatisfy(subprotocols.contains) else { throw .subprotocol }
        let extensions = fields.values("sec-websocket-extensions")
        let compression: CompressionParameters?
        if let offer {
            compression = try offer.agreed(by: extensions)
        } else {
            guard extensions.isEmpty else { throw .extensions }
            compression = nil
        }
        return HandshakeAgreement(subprotocol: names.first, compression: compression)
    }

    private static let reserved: Set<String> = [
        "host", "upgrade", "connection", "content-length", "transfer-encoding", "te", "trailer", "expect",
    ]

    private static func mayBeAdded(_ name: String, _ value: String) -> Bool {
        let lower = name.lowercased()
        guard HeaderScanner.isToken(name), !reserved.contains(lower), !lower.hasPrefix("sec-websocket-") else {
            return false
        }
        return value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
