public import Sockets

/// How to accept WebSockets as a server. A value: change a copy.
public struct WebSocketServer: Sendable {
    /// Subprotocols that are spoken, in order of preference.
    public var subprotocols: [String] = []
    /// What is made of a client's offer to compress; nil: nothing is compressed. By default neither end keeps context,
    /// so an idle connection holds no compression state.
    public var compression: CompressionPolicy? = CompressionPolicy()
    /// The largest head of a request, bytes.
    public var largestHead = 16 << 10
    /// How long the opening handshake may take.
    public var openTimeout = Duration.seconds(15)
    /// How an open connection behaves.
    public var options = WebSocketOptions()

    /// The default values.
    public init() {}

    /// Reads the request of a client from a fresh stream, answers it and opens the connection. For a server that speaks
    /// nothing but WebSocket; an `HTTPServer` hands over by ``upgrade(_:over:)``.
    ///
    /// A request that is not a good opening handshake is answered with 400 or 426, and the stream is closed.
    ///
    /// - Parameter stream: a stream that nobody else uses.
    /// - Throws: ``WebSocketError/handshake(_:)``, ``WebSocketError/timedOut(_:)``, ``WebSocketError/cancelled`` or
    ///   ``WebSocketError/transport(_:)``. The stream is closed then.
    public func accept(_ stream: any ByteStream) async throws(WebSocketError) -> WebSocketConnection {
        let server = self
        let opening = Opening(
            stream: stream,
            largestHead: largestHead,
            refusal: ServerHandshake.refusal
        ) { head throws(WebSocketError) in
            guard let request = try? HTTPRequestHead(head) else { throw .handshake(.head) }
            do throws(HandshakeFault) {
                return try server.connection(request, stream)
            } catch {
                throw .handshake(error)
            }
        }
        let deadline = await stream.loop.currentTime().advanced(by: openTimeout)
        return try await opening.run(until: deadline)
    }

    /// Answers a request that an `HTTPServer` has read, and takes its stream over. Called on the stream's loop, as the
    /// server does:
    ///
    /// ```swift
    /// let upgrade: HTTPServer.Upgrade = { head, stream in
    ///     guard let connection = try? WebSocketServer().upgrade(head, over: stream) else { return }
    ///     connection.assumeIsolated { $0.deliver(to: Session(connection)) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the head of the request.
    ///   - stream: where it came from; nobody else uses it any more.
    /// - Throws: what is wrong with the request. It was answered with 400 or 426 then, and the stream is closing.
    public func upgrade(
        _ request: HTTPRequestHead,
        over stream: any ByteStream
    ) throws(HandshakeFault) -> WebSocketConnection {
        do throws(HandshakeFault) {
            let connection = try connection(request, stream)
            connection.assumeIsolated { $0.begin(unread: []) }
            return connection
        } catch {
            _ = stream.write(ServerHandshake.refusal(of: error))
            stream.close(within: .seconds(5))
            throw error
        }
    }

    private func connection(
        _ request: HTTPRequestHead,
        _ stream: any ByteStream
    ) throws(HandshakeFault) -> WebSocketConnection {
        let handshake = ServerHandshake(subprotocols: subprotocols, compression: compression)
        let (agreement, response) = try handshake.accept(request)
        _ = stream.write(response)
        return WebSocketConnection(stream: stream, role: .server, agreement: agreement, options: options)
    }
}
