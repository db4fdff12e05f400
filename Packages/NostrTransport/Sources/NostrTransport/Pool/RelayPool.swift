public import NostrCrypto
public import NostrEvents
public import Sockets
import Locking

/// A set of relays and what is done with them: publish, subscribe, fetch, count.
///
/// ```swift
/// let pool = try RelayPool()
/// let relays = [try RelayURL("wss://relay.example")]
/// let receipt = await pool.publish(event, to: relays)
/// for event in await pool.fetch([Filter(kinds: [.textNote], limit: 20)], from: relays).events { print(event) }
/// await pool.shutDown()
/// ```
///
/// Relays are connected to when they are added or first used, and stay connected until they are removed or the pool is
/// shut down. A pool that is dropped shuts down.
public final class RelayPool: Sendable {
    private struct State {
        var connections: [RelayURL: RelayConnection] = [:]
        var order: [RelayURL] = []
        var statuses: [RelayURL: RelayStatus] = [:]
        var watchers: [Int: AsyncStream<[RelayURL: RelayStatus]>.Continuation] = [:]
        var lastWatcher = 0
        var isShutDown = false
        var turn = 0
    }

    /// How relays are talked to.
    public let options: TransportOptions
    let loops: [EventLoop]
    let keys: PublicKeyCache
    private let state = Locked(State())

    /// - Parameters:
    ///   - options: how relays are talked to.
    ///   - group: the loops of the connections.
    ///   - keys: where the keys of authors are remembered, which saves a tenth of verifying.
    /// - Throws: when no loop can be started, as `EventLoopGroup.loops()`: the program is out of descriptors or threads.
    public init(
        options: TransportOptions = TransportOptions(),
        group: EventLoopGroup = .shared,
        keys: PublicKeyCache = PublicKeyCache()
    ) throws(SocketsError) {
        loops = try group.loops()
        self.options = options
        self.keys = keys
    }

    deinit {
        for connection in state.withLock({ $0.connections.values.map { $0 } }) {
            connection.loop.execute { connection.assumeIsolated { $0.stop() } }
        }
    }

    // MARK: Relays

    /// The relays of the pool, in the order in which they came.
    public var relays: [RelayURL] { state.withLock { $0.order } }

    /// Adds a relay, if it is not there, and connects to it.
    @discardableResult
    public func add(_ relay: RelayURL) -> RelayConnection {
        let (connection, isNew) = state.withLock { state -> (RelayConnection, Bool) in
            if let connection = state.connections[relay] { return (connection, false) }
            let connection = RelayConnection(relay, on: nextLoop(&state), options: options, keys: keys) {
                [weak self] url, status in self?.noteStatus(url, status)
            }
            state.connections[relay] = connection
            state.order.append(relay)
            return (connection, true)
        }
        if isNew {
            let isShutDown = state.withLock { $0.isShutDown }
            connection.loop.execute {
                connection.assumeIsolated { connection in
                    connection.isShutDown = isShutDown
                    connection.start()
                }
            }
        }
        return connection
    }

    /// Disconnects from a relay, ending what was asked of it, and forgets it.
    public func remove(_ relay: RelayURL) async {
        let connection = state.withLock { state -> RelayConnection? in
            state.order.removeAll { $0 == relay }
            state.statuses[relay] = nil
            return state.connections.removeValue(forKey: relay)
        }
        await connection?.stop()
    }

    /// The connection to a relay of the pool.
    public func connection(to relay: RelayURL) -> RelayConnection? {
        state.withLock { $0.connections[relay] }
    }

    /// The network has changed: relays that wait to be connected to again are tried at once.
    public func networkChanged() async {
        for connection in connections(to: nil) { await connection.networkChanged() }
    }

    /// Disconnects from all relays for good, ending everything, and waits until their sockets are gone. Whatever is asked of
    /// the pool afterwards fails with ``TransportError/stopped``.
    public func shutDown() async {
        let connections = state.withLock { state in
            state.isShutDown = true
            return state.order.compactMap { state.connections[$0] }
        }
        await withTaskGroup { group in
            for connection in connections { group.addTask { await connection.shutDown() } }
        }
        let watchers = state.withLock { state in
            defer { state.watchers = [:] }
            return state.watchers.values.map { $0 }
        }
        for watcher in watchers { watcher.finish() }
    }

    func connections(to relays: [RelayURL]?) -> [RelayConnection] {
        guard let relays else { return state.withLock { state in state.order.compactMap { state.connections[$0] } } }
        var known: Set<RelayURL> = []
        return relays.filter { known.insert($0).inserted }.map { add($0) }
    }

    private func nextLoop(_ state: inout State) -> EventLoop {
        state.turn = (state.turn + 1) % loops.count
        return loops[state.turn]
    }

    // MARK: Status

    /// Where each relay stands.
    public var statuses: [RelayURL: RelayStatus] { state.withLock { $0.statuses } }

    /// Where each relay stands, now and whenever that changes. A consumer that is slow misses what was in between.
    public func statusUpdates() -> AsyncStream<[RelayURL: RelayStatus]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.lastWatcher += 1
                state.watchers[state.lastWatcher] = continuation
                continuation.yield(state.statuses)
                return state.lastWatcher
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.watchers[number] = nil }
            }
        }
    }

    private func noteStatus(_ url: RelayURL, _ status: RelayStatus) {
        state.withLock { state in
            guard state.connections[url] != nil else { return }
            state.statuses[url] = status
            for watcher in state.watchers.values { watcher.yield(state.statuses) }
        }
    }
}
