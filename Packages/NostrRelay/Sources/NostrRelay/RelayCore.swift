import NostrCrypto
import NostrEvents
import NostrStore
import Sockets
import Locking
import WebSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What all sessions of a relay share.
final class RelayCore: Sendable {
    private struct State {
        var urls: [RelayURL] = []
        var nextClient: UInt64 = 1
        var connections = 0
        var perAddress: [IPAddress: Int] = [:]
        var isDraining = false
        /// Events that open reconciliations are about.
        var reserved = 0
    }

    let store: EventStore
    let options: RelayOptions
    let policies: PolicyChain
    let management: Management
    let counters = Counters()
    let shards: [Shard]
    let messageLimits: NostrEvents.MessageLimits
    let pipeline: IngestPipeline
    private let webSockets: WebSocketServer
    private let state: Locked<State>
    private let address: AddressBox
    private let reconciliationTurns = Turns(2)
    /// Who may have a part of an answer made.
    let turns: FairTurns
    /// Bytes that wait for clients.
    let unread: Budget
    /// Values of filters.
    let filterValues: Budget

    init(
        store: EventStore,
        options: RelayOptions,
        policies: [any RelayPolicy],
        group: EventLoopGroup
    ) throws(RelayError) {
        self.store = store
        self.options = options
        management = try Management(file: options.managementFile)
        var chain: [any RelayPolicy] = [management]
        if options.minimumDifficulty > 0 { chain.append(WorkPolicy(minimum: options.minimumDifficulty)) }
        self.policies = PolicyChain(policies: chain + policies)
        let loops: [EventLoop]
        do throws(SocketsError) {
            loops = try group.loops()
        } catch {
            throw .cannotListen(error)
        }
        let shards = loops.map { Shard(loop: $0, protectsGiftWraps: options.protectsGiftWraps) }
        self.shards = shards
        let limits = options.limits
        unread = Budget(limits.allOutgoingBytes)
        filterValues = Budget(limits.allFilterValues)
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        turns = FairTurns(cores)
        messageLimits = NostrEvents.MessageLimits(
            size: limits.messageSize,
            filters: limits.filters,
            event: EventLimits(
                size: limits.messageSize,
                contentSize: limits.contentSize,
                tags: limits.tags,
                tagsOfKind: [.followList: max(10_000, limits.tags)]
            ),
            filter: .standard
        )
        let address = AddressBox(options.urls)
        self.address = address
        pipeline = IngestPipeline(
            verifier: EventVerifier(
                policies: self.policies,
                counters: counters,
                urls: { address.urls },
                now: options.now
            ),
            store: store,
            counters: counters,
            cores: cores,
            byteLimit: limits.bytesInFlight,
            announce: { events, done in Self.announce(events, to: shards, done) }
        )
        webSockets = options.webSocketServer
        state = Locked(State())
    }

    /// The addresses under which clients know the relay.
    var urls: [RelayURL] {
        get { address.urls }
    }

    /// Sets the addresses to the one that is listened on, if the options name none, and tells the database.
    func listens(on address: SocketAddress, isSecure: Bool) {
        defer { store.serve(under: urls.map(\.text)) }
        guard options.urls.isEmpty, case .ip(let ip, let port) = address else { return }
        let scheme = isSecure ? "wss" : "ws"
        var hosts = [ip.isV6 ? "[\(ip)]" : "\(ip)"]
        if ip == .loopback4 || ip == .loopback6 { hosts.append("localhost") }
        self.address.set(hosts.compactMap { try? RelayURL("\(scheme)://\($0):\(port)") })
    }

    // MARK: Connections

    /// Takes a connection over that wants to be a WebSocket. On its loop.
    func open(_ head: HTTPRequestHead, _ stream: any ByteStream) {
        guard let shard = shards.first(where: { $0.loop === stream.loop }), let id = admit(stream.peer) else {
            counters.connectionsRefused.add()
            let refusal = HTTPResponse(status: 503, text: "This relay takes no more connections now.\n")
            _ = stream.write(refusal.serialized(keepsAlive: false))
            stream.close(within: .seconds(5))
            return
        }
        guard let connection = try? webSockets.upgrade(head, over: stream) else {
            leave(stream.peer)
            return
        }
        counters.connections.add()
        counters.connectionsOpened.add()
        let session = Session(id: id, core: self, shard: shard, connection: connection)
        connection.assumeIsolated { $0.deliver(to: session) }
        session.assumeIsolated { $0.begin() }
    }

    private func admit(_ peer: SocketAddress?) -> UInt64? {
        if let ip = peer?.ip, management.isBlocked(ip) { return nil }
        return state.withLock { state in
            guard !state.isDraining, state.connections < options.limits.connections else { return nil }
            if let most = options.limits.connectionsPerAddress, let ip = peer?.ip {
                guard state.perAddress[ip, default: 0] < most else { return nil }
                state.perAddress[ip, default: 0] += 1
            }
            state.connections += 1
            defer { state.nextClient += 1 }
            return state.nextClient
        }
    }

    private func leave(_ peer: SocketAddress?) {
        state.withLock { state in
            state.connections -= 1
            guard options.limits.connectionsPerAddress != nil, let ip = peer?.ip else { return }
            let left = state.perAddress[ip, default: 0] - 1
            state.perAddress[ip] = left > 0 ? left : nil
        }
    }

    /// A connection is gone.
    func closed(_ client: RelayClient) {
        counters.connections.add(-1)
        leave(client.peer)
        policies.disconnected(client)
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Takes no more connections and asks all clients to go.
    func drain() {
        state.withLock { $0.isDraining = true }
        for shard in shards { shard.loop.execute { shard.assumeIsolated { $0.goAway() } } }
    }

    // MARK: Events

    /// Tells the subscribers on every loop, and calls `done` when all know.
    private static func announce(_ events: [Event], to shards: [Shard], _ done: @escaping @Sendable () -> Void) {
        let left = Locked(shards.count)
        for shard in shards {
            shard.loop.execute {
                shard.assumeIsolated { $0.deliver(events) }
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { done() }
            }
        }
    }

    /// How many events match; of those that have to be checked, what the client may read.
    func count(_ filters: [Filter], _ rights: ReadRights, needsCheck: Bool) async throws(StoreError) -> Int {
        let deadline = ContinuousClock.now + options.limits.queryTime
        guard needsCheck else { return try await store.count(matching: filters, deadline: deadline) }
        var count = 0
        try await eachPart(filters, deadline) { events in count += events.count { rights.mayRead($0) } }
        return count
    }

    private func eachPart(
        _ filters: [Filter],
        _ deadline: ContinuousClock.Instant,
        _ body: ([WireEvent]) throws(StoreError) -> Void
    ) async throws(StoreError) {
        let filters = filters.map { filter in
            var filter = filter
            filter.limit = nil
            return filter
        }
        var state: QueryState?
        repeat {
            let page = try await store.page(matching: filters, from: state, count: 64, deadline: deadline)
            try body(page.events)
            state = page.next
        } while state != nil
    }

    // MARK: Reconciliation

    /// The events that a reconciliation is about, which count in the budget until they are released; nil if nobody wants them
    /// any more when it is their turn.
    func reconciliationSet(
        _ filters: [Filter],
        _ rights: ReadRights,
        needsCheck: Bool,
        isWanted: @Sendable () async -> Bool
    ) async throws(StoreError) -> EventSet? {
        // A few at a time: what is being made counts in no budget yet.
        await reconciliationTurns.take()
        defer { reconciliationTurns.give() }
        guard await isWanted() else { return nil }
        let limits = options.limits
        let most = state.withLock { min(limits.reconciliationEvents, limits.allReconciliationEvents - $0.reserved) }
        guard most > 0 else { throw .tooManyEvents(limit: 0) }
        var isReadable: (@Sendable (WireEvent) -> Bool)?
        if needsCheck { isReadable = { rights.mayRead($0) } }
        let set = try await store.negentropySet(
            matching: filters,
            maximum: most,
            deadline: .now + limits.queryTime,
            where: isReadable
        )
        state.withLock { $0.reserved += set.count }
        return set
    }

    func release(_ reserved: Int) {
        if reserved > 0 { state.withLock { $0.reserved -= reserved } }
    }
}

/// The relay's addresses, which are known only when it listens.
private final class AddressBox: Sendable {
    private let value: Locked<[RelayURL]>

    init(_ urls: [RelayURL]) {
        value = Locked(urls)
    }

    var urls: [RelayURL] { value.withLock { $0 } }

    func set(_ urls: [RelayURL]) {
        value.withLock { $0 = urls }
    }
}

extension SocketAddress {
    /// The IP address; nil for a Unix socket.
    var ip: IPAddress? {
        if case .ip(let address, _) = self { address } else { nil }
    }
}
