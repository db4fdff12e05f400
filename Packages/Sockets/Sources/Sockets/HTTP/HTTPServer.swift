import Locking

/// A small HTTP/1.1 server: whole requests in, whole responses out, one at a time on a connection, with keep-alive; and a
/// door for connections that go on with another protocol.
///
/// The handler runs as a task on the default pool, not on a loop. The server works until ``close()`` or until it is released.
public final class HTTPServer: Sendable {
    /// Limits of a server.
    public struct Limits: Sendable {
        /// How large the head of a request may be; more is answered with 431.
        public var head = HTTPHeadParser.Limits()
        /// How many bytes a body may have; more is answered with 413.
        public var body = 1024 * 1024
        /// How long the head of a request may take to come in, from its first byte; then the connection is closed.
        public var headTime: Duration = .seconds(15)
        /// How long a whole request may take to come in, from its first byte; then the connection is closed.
        public var requestTime: Duration = .seconds(15)
        /// How long a connection may wait for its next request.
        public var idleTime: Duration = .seconds(60)
        /// How long the client may take to accept the response.
        public var responseTime: Duration = .seconds(30)
        /// How many requests are served on one connection.
        public var requestsPerConnection = 1000
        /// How many connections may be open that have not been handed over; the next are closed at once.
        public var connections = 1000

        /// The defaults named at each.
        public init() {}
    }

    /// Answers a request. On any thread.
    public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse
    /// Takes over a connection whose client asks for another protocol (RFC 9110 section 7.8). On the stream's loop. The stream
    /// is not started; bytes that came behind the request come first. Whoever takes it answers the request, 101 or not.
    public typealias Upgrade = @Sendable (HTTPRequestHead, any ByteStream) -> Void

    /// What a client is told whose request is not one: a status that fits, and a sentence. On any thread.
    public typealias Refusal = @Sendable (_ status: Int, _ sentence: String) -> HTTPResponse

    private let listener: Listener
    private let isClosed = Locked(false)

    /// Where it listens.
    public var address: SocketAddress { listener.address }

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - address: an IP address and port, or a Unix path.
    ///   - options: of the listening socket.
    ///   - limits: what a client may cost.
    ///   - tls: a certificate, for https.
    ///   - group: the loops of the connections.
    ///   - upgrades: by the protocol's name in lower case, `websocket`: who takes such connections over.
    ///   - refusal: how requests are answered that break HTTP or a limit; by default with the sentence as plain text.
    ///   - handler: answers all other requests.
    /// - Throws: as ``Listener/init(on:options:group:accept:)``.
    public init(
        on address: SocketAddress,
        options: ListenerOptions = ListenerOptions(),
        limits: Limits = Limits(),
        tls: TLSServer? = nil,
        group: EventLoopGroup = .shared,
        upgrades: [String: Upgrade] = [:],
        refusal: @escaping Refusal = { HTTPResponse(status: $0, text: "\($1)\n") },
        handler: @escaping Handler
    ) throws(SocketsError) {
        let serve = Self.service(limits, tls, upgrades, refusal, handler, isClosed)
        listener = try Listener(on: address, options: options, group: group, accept: serve)
    }

    /// Serves on a socket that listens already; see ``Listener/init(adopting:options:group:accept:)``, and the other
    /// initialiser for the parameters.
    ///
    /// - Throws: ``SocketsError/invalidAddress(_:)`` when the descriptor is no listening stream socket.
    public init(
        adopting descriptor: Int32,
        options: ListenerOptions = ListenerOptions(),
        limits: Limits = Limits(),
        tls: TLSServer? = nil,
        group: EventLoopGroup = .shared,
        upgrades: [String: Upgrade] = [:],
        refusal: @escaping Refusal = { HTTPResponse(status: $0, text: "\($1)\n") },
        handler: @escaping Handler
    ) throws(SocketsError) {
        let serve = Self.service(limits, tls, upgrades, refusal, handler, isClosed)
        listener = try Listener(adopting: descriptor, options: options, group: group, accept: serve)
    }

    private static func service(
        _ limits: Limits,
        _ tls: TLSServer?,
        _ upgrades: [String: Upgrade],
        _ refusal: @escaping Refusal,
        _ handler: @escaping Handler,
        _ isClosed: Locked<Bool>
    ) -> @Sendable (SocketStream) -> Void {
        let open = Locked(0)
        return { stream in
            let isOverFull = open.withLock { open in
                open += 1
                return open > limits.connections
            }
            Task {
                defer { open.withLock { $0 -= 1 } }
                guard !isOverFull else { return }
                guard let secured = try? await Self.secure(stream, tls, limits) else { return }
                let connection = await Connection(secured)
                let client = HTTPServerConnection(connection, limits, upgrades, refusal, handler) {
                    isClosed.withLock { $0 }
                }
                await client.serve()
            }
        }
    }

    private static func secure(
        _ stream: SocketStream,
        _ tls: TLSServer?,
        _ limits: Limits
    ) async throws(SocketsError) -> any ByteStream {
        guard let tls else { return stream }
        return try await tls.accept(stream, within: limits.requestTime)
    }

    /// Stops listening; requests that are being answered are finished, and their connections closed then. From anywhere.
    public func close() {
        isClosed.withLock { $0 = true }
        listener.close()
    }
}
