public import NostrEvents
import Sockets

extension RelayPool {
    /// Subscribes to what matches one of the filters.
    ///
    /// - Parameters:
    ///   - filters: one at least.
    ///   - relays: whom to ask; nil: all of the pool as they are now. Those that are not in the pool are added.
    ///   - options: how it behaves; live by default.
    public func subscribe(
        _ filters: [Filter],
        to relays: [RelayURL]? = nil,
        options: SubscriptionOptions = SubscriptionOptions()
    ) -> Subscription {
        let connections = connections(to: relays)
        let seen = options.seen ?? SeenEvents()
        let rule = MatchRule(filters: filters, seen: seen, limits: self.options.limits)
        let queue = UpdateQueue(capacity: options.bufferBytes, relays: connections.count)
        let handles = connections.map { RequestHandle($0) }
        for handle in handles { handle.open(rule, options, queue) }
        return Subscription(relays: connections.map(\.url), seen: seen, queue: queue) {
            for handle in handles { handle.close() }
        }
    }
}

/// Opens and closes one request of a subscription, in this order whatever the threads.
///
/// `@unchecked Sendable`: the token is touched on the connection's loop alone, through `execute`.
private final class RequestHandle: @unchecked Sendable {
    private let connection: RelayConnection
    private var token: Int?

    init(_ connection: RelayConnection) {
        self.connection = connection
    }

    func open(_ rule: MatchRule, _ options: SubscriptionOptions, _ queue: UpdateQueue) {
        connection.loop.execute {
            self.token = self.connection.assumeIsolated { $0.open(rule, options, queue) }
        }
    }

    func close() {
        connection.loop.execute {
            guard let token = self.token.take() else { return }
            self.connection.assumeIsolated { $0.closeRequest(token) }
        }
    }
}
