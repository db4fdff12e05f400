import NostrEvents
import Sockets
import WebSocket

/// The sessions and subscriptions of one event loop.
actor Shard {
    /// Where an event goes.
    struct Target {
        let session: Session
        let subscription: SubscriptionID
        /// The message as far as the event: `["EVENT","feed",`
        let head: [UInt8]
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let protectsGiftWraps: Bool
    private var index = SubscriptionIndex<Target>()
    private var sessions: [UInt64: Session] = [:]
    private var busyTurn: ContinuousClock.Instant?

    init(loop: EventLoop, protectsGiftWraps: Bool) {
        self.loop = loop
        self.protectsGiftWraps = protectsGiftWraps
    }

    // MARK: Sessions

    func add(_ session: Session) {
        sessions[session.id] = session
    }

    func remove(_ session: UInt64) {
        sessions[session] = nil
    }

    /// Asks every client to go.
    func goAway() {
        for session in sessions.values { session.assumeIsolated { $0.goAway() } }
    }

    /// Cuts off whoever is left.
    func abort() {
        for session in sessions.values { session.connection.assumeIsolated { $0.abort() } }
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// Whether the loop has the time for something longer in this turn: for the first who asks. With many in one turn all the others
    /// of the loop would wait for each of them.
    func hasTime() -> Bool {
        defer { busyTurn = loop.now }
        return busyTurn != loop.now
    }

    // MARK: Subscriptions

    /// Enters a subscription; returns the number under which it is removed.
    func subscribe(_ session: Session, _ subscription: SubscriptionID, _ filters: [Filter]) -> Int {
        let target = Target(session: session, subscription: subscription, head: Self.head(subscription))
        return index.insert(filters, target)
    }

    func unsubscribe(_ number: Int) {
        index.remove(number)
    }

    /// Gives new events to whoever wants them.
    func deliver(_ events: [Event]) {
        var touched: [UInt64: Session] = [:]
        for event in events {
            let targets = index.targets(of: event)
            if targets.isEmpty { continue }
            let isProtected = protectsGiftWraps && event.kind.isGiftWrap
            let addressees = isProtected ? event.addressees : []
            var tail = event.json
            tail.append(UInt8(ascii: "]"))
            for target in targets {
                target.session.assumeIsolated { session in
                    if isProtected, session.client.authenticated.isDisjoint(with: addressees) { return }
                    session.live(event.id, Outgoing(target.head, tail), for: target.subscription)
                }
                touched[target.session.id] = target.session
            }
        }
        for session in touched.values { session.assumeIsolated { $0.flush() } }
    }

    /// The message for an event as far as the event.
    static func head(_ subscription: SubscriptionID) -> [UInt8] {
        // An EOSE message is the label and the id too, and does the escaping.
        let whole = RelayMessage.endOfStoredEvents(subscription, []).json
        return Array("[\"EVENT\"".utf8) + whole.dropFirst("[\"EOSE\"".utf8.count).dropLast() + [UInt8(ascii: ",")]
    }
}
