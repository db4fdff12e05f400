public import NostrEvents
public import Sockets
public import WebSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How relays are talked to. A value: change a copy.
public struct TransportOptions: Sendable {
    /// How a connection is made: proxy, TLS, address policy, time limit (15 s), keep-alive.
    public var webSocket: WebSocketClient
    /// How large messages from a relay may be.
    public var limits = MessageLimits.standard
    /// Whether a connection that ended is made again.
    public var reconnects = true
    /// The waits between connections, and before a request is made again.
    public var backoff = BackoffPolicy()
    /// How long a relay may leave a request without any sign of progress.
    public var stallTime: Duration = .seconds(15)
    /// How long it may after it has sent a NOTICE, which is how some relays refuse.
    public var noticeGrace: Duration = .seconds(2)
    /// How long authenticating may take, signing included.
    public var authenticationTime: Duration = .seconds(15)
    /// Subscriptions that a relay is trusted with at once when it names no number (NIP-11).
    public var subscriptionsPerRelay = 20
    /// Filters that are put into one request of several subscriptions, where a relay takes no more requests and names no
    /// number.
    public var filtersPerRequest = 10
    /// Published events that may wait for a relay's answer at once; more wait here.
    public var publishWindow = 256
    /// Events, verified or not, that may wait on one connection before the socket is read no further.
    public var receiveBacklog = 2_048
    /// The same in bytes of their messages.
    public var receiveBacklogBytes = 8 << 20
    /// After so many false ids and signatures a connection is given up.
    public var forgedEventLimit = 1_000
    /// Where the relay's information document is read (NIP-11), whose limits are then kept; nil: it is not read.
    public var information: RelayInformationCache? = .shared
    /// Who answers challenges (NIP-42); nil: nobody.
    public var authenticator: RelayAuthenticator?
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// A number from 0 to 1, for jitter.
    public var random: @Sendable () -> Double = { .random(in: 0...1) }
    /// Opens a WebSocket, instead of ``webSocket``: for tests and for transports of another kind.
    public var open: (@Sendable (RelayURL, EventLoop) async throws(WebSocketError) -> WebSocketConnection)?

    /// The default values.
    public init() {
        webSocket = WebSocketClient()
        webSocket.options.limits = WebSocket.MessageLimits(
            frameBytes: limits.size,
            messageBytes: limits.size,
            inflatedBytes: limits.size
        )
    }

    func connect(to url: RelayURL, on loop: EventLoop) async throws(WebSocketError) -> WebSocketConnection {
        if let open { return try await open(url, loop) }
        return try await webSocket.connect(to: url.text, on: loop)
    }
}
