public import Sockets

/// How to open WebSockets as a client. A value: change a copy.
///
/// ```swift
/// let connection = try await WebSocketClient().connect(to: "wss://relay.example")
/// try await connection.send(.text("hello"))
/// for try await message in connection.messages { print(message.text ?? "") }
/// ```
public struct WebSocketClient: Sendable {
    /// How the connection below is made: proxy, TLS, name look-up, address policy. Its `timeout` covers the opening
    /// handshake too.
    public var connector = Connector()
    /// Fields to add to the request, such as `User-Agent`.
    public var headers: [(name: String, value: String)] = []
    /// Subprotocols to offer, in order of preference (RFC 6455 section 1.9).
    public var subprotocols: [String] = []
    /// What to offer for permessage-deflate; nil offers nothing.
    public var compressionOffer: CompressionOffer? = CompressionOffer()
    /// The largest head of a response, bytes.
    public var largestHead = 16 << 10
    /// How an open connection behaves.
    public var options = WebSocketOptions()

    /// The default values.
    public init() {}

    /// Connects and does the opening handshake.
    ///
    /// - Parameters:
    ///   - url: `ws://` or `wss://`, see ``WebSocketURL``.
    ///   - loop: the loop that the connection will run on; nil: one of the process's.
    /// - Throws: ``WebSocketError/invalidURL(_:)``, ``WebSocketError/transport(_:)``,
    ///   ``WebSocketError/refused(status:)``, ``WebSocketError/handshake(_:)``, ``WebSocketError/timedOut(_:)``,
    ///   ``WebSocketError/cancelled``. Nothing stays open then.
    public func connect(
        to url: String,
        on loop: EventLoop? = nil
    ) async throws(WebSocketError) -> WebSocketConnection {
        let url = try WebSocketURL(url)
        let handshake = try handshake(for: url)
        let deadline: ContinuousClock.Instant
        let stream: any ByteStream
        do throws(SocketsError) {
            let loop = if let loop { loop } else { try EventLoopGroup.shared.next() }
            deadline = await loop.currentTime().advanced(by: connector.timeout)
            stream = try await connector.connect(to: url.host, port: url.port, secure: url.isSecure, on: loop)
        } catch {
            throw WebSocketError(opening: error)
        }
        return try await open(handshake, over: stream, until: deadline)
    }

    /// Does the opening handshake over a stream that leads to the server already.
    ///
    /// - Parameters:
    ///   - url: what to ask for; its host and port are only named in the request.
    ///   - stream: a stream that nobody else uses.
    /// - Throws: as ``connect(to:on:)``.
    public func open(_ url: String, over stream: any ByteStream) async throws(WebSocketError) -> WebSocketConnection {
        let handshake = try handshake(for: WebSocketURL(url))
        let deadline = await stream.loop.currentTime().advanced(by: connector.timeout)
        return try await open(handshake, over: stream, until: deadline)
    }

    private func handshake(for url: WebSocketURL) throws(WebSocketError) -> ClientHandshake {
        try ClientHandshake(
            url: url,
            headers: headers,
            subprotocols: subprotocols,
            offer: compressionOffer,
            random: (.random(in: .min ... .max), .random(in: .min ... .max))
        )
    }

    private func open(
        _ handshake: ClientHandshake,
        over stream: any ByteStream,
        until deadline: ContinuousClock.Instant
    ) async throws(WebSocketError) -> WebSocketConnection {
        let options = self.options
        let opening = Opening(stream: stream, largestHead: largestHead) { head throws(WebSocketError) in
            guard let response = try? HTTPResponseHead(head) else { throw .handshake(.head) }
            let agreement = try handshake.agreement(response)
            return WebSocketConnection(stream: stream, role: .client, agreement: agreement, options: options)
        }
        return try await opening.run(sending: handshake.request, until: deadline)
    }
}

extension WebSocketError {
    /// What went wrong below while the connection was being opened.
    init(opening error: SocketsError) {
        switch error {
        case .timedOut: self = .timedOut(.opening)
        case .cancelled: self = .cancelled
        default: self = .transport(error)
        }
    }
}
