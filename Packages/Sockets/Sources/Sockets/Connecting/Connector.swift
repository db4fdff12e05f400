/// How to open connections. A value: change a copy.
///
/// ```swift
/// let stream = try await Connector().connect(to: "relay.example", port: 443, on: EventLoopGroup.shared.next())
/// ```
///
/// `connect` may be called from anywhere; the stream that it returns is used on its loop only, and reads nothing before
/// ``ByteStream/start(_:unread:)``. A stream that is released without having been started is closed.
public struct Connector: Sendable {
    /// How many bytes wait to be sent before a writer is told to wait: 256 KiB.
    public static let defaultHighWaterMark = 256 * 1024

    /// How long all of it may take, from the name look-up to the last handshake. 15 s by default: slow links and
    /// Tor need it.
    public var timeout: Duration = .seconds(15)
    /// How long to wait for one address before the next is tried beside it (RFC 8305 section 5).
    public var attemptDelay: Duration = .milliseconds(250)
    /// How many bytes wait to be sent before a writer is told to wait; twice as many are refused.
    public var highWaterMark = Connector.defaultHighWaterMark
    /// Who looks names up.
    public var resolver = Resolver.system
    /// Asked for every address before it is connected to.
    public var addressPolicy = AddressPolicy.any
    /// A proxy to connect through. It looks names up, so the address policy sees only hosts that are addresses; the proxy
    /// itself is not subject to it.
    public var proxy: SOCKS5Proxy?
    /// Places of this machine that are connected to without the proxy. All others go through it, also other ports of this
    /// machine: strangers may name those.
    public var direct: Set<LoopbackPlace> = []
    /// How TLS is done; nil: ``TLSClient/system()``.
    public var tls: TLSClient?

    /// Direct connections, to any address, with the system's names and trust.
    public init() {}

    /// Opens a TCP connection, with TCP_NODELAY.
    ///
    /// - Parameters:
    ///   - host: a name, or an IPv4 or IPv6 address without brackets.
    ///   - port: the TCP port.
    ///   - secure: whether to set up TLS, with the host's certificate verified for `host`.
    ///   - loop: the loop that the stream will belong to.
    /// - Throws: ``SocketsError``: why the first address that was tried could not be reached, or what came before.
    public func connect(
        to host: String,
        port: UInt16,
        secure: Bool = false,
        on loop: EventLoop
    ) async throws(SocketsError) -> any ByteStream {
        let deadline = await loop.currentTime().advanced(by: timeout)
        let tls = try secure ? client() : nil
        let stream: SocketStream
        if proxy != nil, let place = LoopbackPlace(host: host, port: port), direct.contains(place) {
            stream = try await open(place.addresses, of: host, port, addressPolicy, deadline, on: loop)
        } else if let proxy {
            stream = try await open(proxy.host, proxy.port, .any, deadline, on: loop)
            try await pass(proxy, host, port, over: stream, deadline)
        } else {
            stream = try await open(host, port, addressPolicy, deadline, on: loop)
        }
        guard let tls else { return stream }
        return try await TLSStream.connect(over: stream, with: tls, host: host, port: port, until: deadline)
    }

    private func client() throws(SocketsError) -> TLSClient {
        if let tls { return tls }
        return try TLSClient.system()
    }

    private func pass(
        _ proxy: SOCKS5Proxy,
        _ host: String,
        _ port: UInt16,
        over stream: SocketStream,
        _ deadline: ContinuousClock.Instant
    ) async throws(SocketsError) {
        guard port != 0 else { throw .invalidAddress("port 0") }
        if let address = IPAddress(host), !addressPolicy.allows(address) { throw .addressRefused(host) }
        let connection = await Connection(stream)
        do throws(SocketsError) {
            try await proxy.open(host, port, over: connection, until: deadline)
        } catch {
            await connection.abort()
            throw error
        }
        _ = await connection.release()
    }

    /// Opens a connection to a Unix socket.
    ///
    /// - Throws: ``SocketsError/connectionRefused(_:)`` also when there is no such path.
    public func connect(toPath path: String, on loop: EventLoop) async throws(SocketsError) -> SocketStream {
        let deadline = await loop.currentTime().advanced(by: timeout)
        return try await race([.unix(path: path)], deadline, on: loop)
    }

    private func open(
        _ host: String,
        _ port: UInt16,
        _ policy: AddressPolicy,
        _ deadline: ContinuousClock.Instant,
        on loop: EventLoop
    ) async throws(SocketsError) -> SocketStream {
        guard port != 0 else { throw .invalidAddress("port 0") }
        let addresses = try await resolver.addresses(of: host, until: deadline, on: loop)
        return try await open(addresses, of: host, port, policy, deadline, on: loop)
    }

    private func open(
        _ addresses: [IPAddress],
        of host: String,
        _ port: UInt16,
        _ policy: AddressPolicy,
        _ deadline: ContinuousClock.Instant,
        on loop: EventLoop
    ) async throws(SocketsError) -> SocketStream {
        let allowed = addresses.filter { policy.allows($0) }
        guard !allowed.isEmpty else {
            throw addresses.first.map { .addressRefused($0.description) } ?? .nameNotFound(host)
        }
        return try await race(ConnectRace.interleave(allowed).map { .ip($0, port: port) }, deadline, on: loop)
    }

    private func race(
        _ addresses: [SocketAddress],
        _ deadline: ContinuousClock.Instant,
        on loop: EventLoop
    ) async throws(SocketsError) -> SocketStream {
        let race = ConnectRace(addresses, delay: attemptDelay, highWaterMark: highWaterMark, on: loop)
        loop.execute { race.startNext() }
        return try await race.winner.wait(.connect, until: deadline, on: loop) {
            loop.execute { race.stop() }
        }
    }
}
