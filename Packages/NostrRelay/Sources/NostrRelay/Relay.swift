public import NostrEvents
public import NostrStore
public import Sockets

/// A Nostr relay over an event database.
///
/// ```swift
/// let relay = try Relay(store: EventStore(.file(path)), on: .ip(.loopback4, port: 7447))
/// // ... relay.url is "ws://127.0.0.1:7447"
/// await relay.close()
/// ```
///
/// An event is acknowledged when it is committed, as durably as the database's `StoreOptions.synchronous`
/// says. The relay works until ``close(within:)``.
public final class Relay: Sendable {
    private let core: RelayCore
    private let server: HTTPServer
    private let sweeper: Task<Void, Never>

    /// Begins to listen and to serve: WebSocket for clients (NIP-01 and others), and on the same port HTTP for the
    /// information document (NIP-11) and management (NIP-86).
    ///
    /// - Parameters:
    ///   - store: where events are; it is not closed with the relay. It is told the relay's addresses, for requests to vanish
    ///     (NIP-62).
    ///   - address: an IP address and port (0: any free one), or a Unix path.
    ///   - listening: limits and rights of the listening socket.
    ///   - options: what is asked of clients, and what they may cost.
    ///   - policies: what is taken and given, beyond the options; asked in this order.
    ///   - tls: a certificate, for `wss`.
    ///   - group: the loops of the connections.
    /// - Throws: ``RelayError``.
    public convenience init(
        store: EventStore,
        on address: SocketAddress,
        listening: ListenerOptions = ListenerOptions(),
        options: RelayOptions = RelayOptions(),
        policies: [any RelayPolicy] = [],
        tls: TLSServer? = nil,
        group: EventLoopGroup = .shared
    ) throws(RelayError) {
        let core = try RelayCore(store: store, options: options, policies: policies, group: group)
        try self.init(core, tls) { (limits, upgrades, handler) throws(SocketsError) in
            try HTTPServer(
                on: address,
                options: options.listener(listening),
                limits: limits,
                tls: tls,
                group: group,
                upgrades: upgrades,
                handler: handler
            )
        }
    }

    /// Serves on a socket that listens already: one that a service manager or the surrounding program has opened.
    ///
    /// - Parameters:
    ///   - store: where events are; see ``init(store:on:listening:options:policies:tls:group:)``, also for the other parameters.
    ///   - descriptor: the listening socket. It is the relay's from now on, which closes it and unlinks nothing.
    /// - Throws: ``RelayError``; the descriptor is still the caller's then.
    public convenience init(
        store: EventStore,
        adopting descriptor: Int32,
        options: RelayOptions = RelayOptions(),
        policies: [any RelayPolicy] = [],
        tls: TLSServer? = nil,
        group: EventLoopGroup = .shared
    ) throws(RelayError) {
        let core = try RelayCore(store: store, options: options, policies: policies, group: group)
        try self.init(core, tls) { (limits, upgrades, handler) throws(SocketsError) in
            try HTTPServer(
                adopting: descriptor,
                options: options.listener(ListenerOptions()),
                limits: limits,
                tls: tls,
                group: group,
                upgrades: upgrades,
                handler: handler
            )
        }
    }

    private init(
        _ core: RelayCore,
        _ tls: TLSServer?,
        _ serve: (HTTPServer.Limits, [String: HTTPServer.Upgrade], @escaping HTTPServer.Handler) throws(SocketsError) ->
            HTTPServer
    ) throws(RelayError) {
        let front = HTTPFront(core: core)
        do throws(SocketsError) {
            server = try serve(core.options.httpLimits, ["websocket": { core.open($0, $1) }]) { await front.answer($0) }
        } catch {
            throw .cannotListen(error)
        }
        core.listens(on: server.address, isSecure: tls != nil)
        self.core = core
        let store = core.store
        sweeper = Task {
            while !Task.isCancelled {
                // Cancellation ends the wait; a database that fails shows it to the clients that use it.
                try? await Task.sleep(for: .seconds(60))
                _ = try? await store.sweepExpired()
            }
        }
    }

    deinit {
        sweeper.cancel()
    }

    /// Takes a connection over that another HTTP server was asked to make a WebSocket, for a program that has a server of
    /// its own on the same loops. Called on the stream's loop, as the closure of `HTTPServer` for upgrades is.
    ///
    /// - Parameters:
    ///   - request: the head of the request.
    ///   - stream: where it came from, on one of the relay's loops; nobody else uses it any more.
    public func accept(_ request: HTTPRequestHead, over stream: any ByteStream) {
        core.open(request, stream)
    }

    /// Where it listens; with port 0 asked for, the port that the system chose.
    public var address: SocketAddress { server.address }

    /// The address that clients use: the first of the options, or what is listened on; nil for a Unix socket.
    public var url: RelayURL? { core.urls.first }

    /// What it has done so far.
    public var metrics: RelayMetrics {
        var metrics = core.counters.snapshot
        metrics.unreadBytes = core.unread.held
        return metrics
    }

    /// Closes in order: listens no longer, answers the events that are on their way, and tells each client that the relay
    /// goes away. The database stays open.
    ///
    /// - Parameter time: how long clients may take; then they are cut off.
    public func close(within time: Duration = .seconds(5)) async {
        sweeper.cancel()
        server.close()
        core.drain()
        let deadline = ContinuousClock.now + time
        while await !isEmpty, ContinuousClock.now < deadline, !Task.isCancelled {
            // Cancellation is looked at above.
            try? await Task.sleep(for: .milliseconds(5))
        }
        for shard in core.shards { await shard.abort() }
    }

    private var isEmpty: Bool {
        get async {
            for shard in core.shards where await !shard.isEmpty { return false }
            return true
        }
    }
}
