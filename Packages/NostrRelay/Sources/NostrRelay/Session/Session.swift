import NostrCrypto
import NostrEvents
import Sockets
import WebSocket

/// One client: what it has asked for, what it is told, and what it may cost. Lives on the loop of its connection.
actor Session: WebSocketHandler {
    nonisolated let id: UInt64
    nonisolated let core: RelayCore
    nonisolated let shard: Shard
    nonisolated let connection: WebSocketConnection
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var client: RelayClient
    var subscriptions: [SubscriptionID: Subscription] = [:]
    var filterValues = 0 {
        didSet { core.filterValues.add(filterValues - oldValue) }
    }
    /// New events that wait until stored ones are sent.
    var pendingBytes = 0
    /// What the client has had of the relay's time for answers; see ``FairTurns``.
    var share: Int64?
    var generation = 0
    var waitingQueries = Queue<WaitingQuery>()
    var runningQueries = 0
    var reconciliations: [SubscriptionID: Reconciliation] = [:]

    /// What the client has to sign to authenticate itself; nil until it was sent.
    var challenge: String?
    /// Set once the connection is closed or closing.
    var isOver = false

    private var outbox = Outbox()
    /// What waits for the client, counted in the relay's budget.
    private var unread = 0 {
        didSet { core.unread.add(unread - oldValue) }
    }
    private(set) var isBlocked = false
    private var stallTimer: LoopTimer?
    private var roomWaiters: [CheckedContinuation<Void, Never>] = []
    private var eventsInFlight = 0
    private var isPaused = false
    private var isPipelineFull = false
    private var violations = 0
    private var isGoingAway = false

    var limits: RelayLimits { core.options.limits }
    var rights: ReadRights {
        ReadRights(protectsGiftWraps: core.options.protectsGiftWraps, authenticated: client.authenticated)
    }

    init(id: UInt64, core: RelayCore, shard: Shard, connection: WebSocketConnection) {
        self.id = id
        self.core = core
        self.shard = shard
        self.connection = connection
        loop = connection.loop
        client = RelayClient(id: id, peer: connection.peer)
    }

    func begin() {
        shard.assumeIsolated { $0.add(self) }
        if !core.options.authentication.isEmpty || core.options.protectsGiftWraps { sendChallenge() }
        if core.isDraining { goAway() }
        flush()
    }

    // MARK: Receiving

    nonisolated func received(_ messages: [WebSocketMessage]) {
        assumeIsolated { $0.handle(messages) }
    }

    private func handle(_ messages: [WebSocketMessage]) {
        core.counters.messages.add(messages.count)
        var items: [IngestItem] = []
        for message in messages where !isOver {
            guard message.kind == .text else {
                complain(StatusMessage(.invalid, "messages are text"), about: .unknown)
                continue
            }
            do throws(EventError) {
                try handle(ClientMessage(json: message.bytes, limits: core.messageLimits), message.bytes.count, &items)
            } catch {
                complain(StatusMessage(.invalid, error.description), about: MessageSalvage(message.bytes).subject)
            }
        }
        if !items.isEmpty { submit(items) }
        flush()
    }

    private func handle(_ message: ClientMessage, _ size: Int, _ items: inout [IngestItem]) {
        switch message {
        case .event(let event):
            core.counters.events.add()
            if let status = refusal(of: event) {
                core.counters.eventsRefused.add()
                answer(event.id, false, status)
            } else {
                items.append(item(event, .publish, size))
            }
        case .authenticate(let event):
            guard let challenge else {
                answer(event.id, false, StatusMessage(.invalid, "there was no challenge"))
                return
            }
            guard client.authenticated.count < limits.authenticatedKeys else {
                answer(event.id, false, StatusMessage(.rateLimited, "too many keys on one connection"))
                return
            }
            items.append(item(event, .authenticate(challenge: challenge), size))
        case .request(let id, let filters): request(id, filters)
        case .count(let id, let filters): count(id, filters)
        case .close(let id): end(id)
        case .reconcile(let id, let filter, let message): reconcile(id, filter, message)
        case .reconciliation(let id, let message): goOn(id, message)
        case .closeReconciliation(let id): endReconciliation(id)
        }
    }

    private func item(_ event: WireEvent, _ purpose: IngestItem.Purpose, _ size: Int) -> IngestItem {
        IngestItem(event: event, purpose: purpose, session: self, client: client, size: size)
    }

    /// Why an event is not even verified.
    private func refusal(of event: WireEvent) -> StatusMessage? {
        if isGoingAway { return StatusMessage(.error, "the relay is shutting down") }
        if event.kind == .clientAuthentication {
            return StatusMessage(.invalid, "authentication events are sent with AUTH")
        }
        if core.options.authentication.contains(.write), client.authenticated.isEmpty {
            return StatusMessage(.authenticationRequired, "only authenticated clients may write here")
        }
        if case .refuse(let status) = core.policies.screen(event, from: client) { return status }
        return nil
    }

    /// Says what is wrong with a message; who sends too many such messages is cut off.
    private func complain(_ status: StatusMessage, about subject: MessageSalvage.Subject) {
        core.counters.malformedMessages.add()
        violations += 1
        switch subject {
        case .event(let id): answer(id, false, status)
        case .subscription(let id):
            end(id)
            send(.closed(id, status))
        case .reconciliation(let id):
            endReconciliation(id)
            send(.reconciliationError(id, status, mostRecords: nil))
        case .unknown: send(.notice(status.text))
        }
        if violations > limits.violations {
            flush()
            drop(.policyViolation, "too many messages that make no sense")
        }
    }

    // MARK: Events

    private func submit(_ items: [IngestItem]) {
        eventsInFlight += items.count
        let hasTime = shard.assumeIsolated { $0.hasTime() }
        if !core.pipeline.submit(items, from: self, mayVerify: hasTime) { isPipelineFull = true }
        if !isPaused, isPipelineFull || eventsInFlight >= limits.eventsInFlight {
            isPaused = true
            connection.assumeIsolated { $0.pauseDelivery() }
        }
    }

    /// The pipeline is done with some events.
    func answered(_ answers: [IngestAnswer]) {
        eventsInFlight -= answers.count
        guard !isOver else { return }
        for one in answers {
            if let event = one.authenticated { client.authenticated.insert(event.pubkey) }
            answer(one.id, one.isAccepted, one.status)
        }
        readOn()
        flush()
        if isGoingAway { leaveWhenDone() }
    }

    func pipelineHasRoom() {
        isPipelineFull = false
        readOn()
    }

    private func readOn() {
        guard isPaused, !isPipelineFull, eventsInFlight <= limits.eventsInFlight / 2, !isOver else { return }
        isPaused = false
        connection.assumeIsolated { $0.resumeDelivery() }
    }

    private func answer(_ id: EventID, _ isAccepted: Bool, _ status: StatusMessage) {
        if status.prefix == .authenticationRequired { sendChallenge() }
        send(.ok(id, accepted: isAccepted, status))
    }

    /// Sends the challenge of NIP-42 if it was not sent before.
    func sendChallenge() {
        guard challenge == nil else { return }
        let text = Hex.encode(SecureRandom.bytes(16))
        challenge = text
        send(.challenge(text))
    }

    // MARK: Sending

    func send(_ message: RelayMessage) {
        send(message.json)
    }

    func send(_ message: [UInt8]) {
        send(Outgoing(message))
    }

    func send(_ message: Outgoing) {
        guard !isOver else { return }
        outbox.append(message)
        // What was queued in this turn may still fit.
        if outbox.bytes > limits.outgoingBytes { flush() }
    }

    /// Gives a new event to a subscription; behind the stored ones while those are being sent.
    func live(_ event: EventID, _ message: Outgoing, for id: SubscriptionID) {
        // In place: a copy would copy all that waits.
        guard !isOver, let index = subscriptions.index(forKey: id) else { return }
        if subscriptions.values[index].sentEarly.remove(event) != nil { return }
        if subscriptions.values[index].isQuerying {
            subscriptions.values[index].pending.append((event, message))
            subscriptions.values[index].pendingBytes += message.cost
            pendingBytes += message.cost
            return
        }
        core.counters.liveEventsSent.add()
        send(message)
    }

    /// Writes what waits, as far as the connection takes it, and drops the client if what is left is too much.
    func flush() {
        while !isBlocked, !isOver, !outbox.isEmpty {
            let messages = outbox.take(Self.writtenAtOnce)
            switch connection.assumeIsolated({ $0.enqueue(messages) }) {
            case .taken: continue
            case .full: block()
            case .refused, .tooLarge, .closed: drop(.internalError, "a message cannot be sent")
            }
        }
        let left = outbox.bytes + pendingBytes
        guard left != unread else { return }
        unread = left
        if left > limits.outgoingBytes || !core.unread.allows(left) { dropSlowReader() }
    }

    private func block() {
        isBlocked = true
        watchReader()
    }

    /// Drops the client if it takes nothing for a while; one that takes little by little is waited for.
    private func watchReader() {
        let pending = connection.assumeIsolated { $0.pendingBytes }
        stallTimer = loop.schedule(after: limits.stallTime) { [weak self] in
            self?.assumeIsolated { session in
                let left = session.connection.assumeIsolated { $0.pendingBytes }
                if left < pending { session.watchReader() } else { session.dropSlowReader() }
            }
        }
    }

    nonisolated func writable() {
        assumeIsolated { $0.roomCame() }
    }

    private func roomCame() {
        isBlocked = false
        stallTimer?.cancel()
        stallTimer = nil
        flush()
        if !isBlocked { resumeRoomWaiters() }
    }

    /// Waits until what was sent has left, or the connection is over.
    func waitForRoom() async {
        guard isBlocked, !isOver else { return }
        await withCheckedContinuation { roomWaiters.append($0) }
    }

    private func resumeRoomWaiters() {
        let waiters = roomWaiters
        roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private static let writtenAtOnce = 128 << 10

    // MARK: The end

    private func dropSlowReader() {
        guard !isOver else { return }
        core.counters.slowReadersDropped.add()
        drop(.policyViolation, "the client does not read what it is sent")
    }

    /// Closes the connection and tells why.
    func drop(_ code: CloseCode, _ reason: String) {
        guard !isOver else { return }
        connection.assumeIsolated { $0.startClosing(code, reason: reason) }
        finish()
    }

    /// Takes no more events, and closes when those on their way are answered.
    func goAway() {
        isGoingAway = true
        leaveWhenDone()
    }

    private func leaveWhenDone() {
        guard eventsInFlight == 0 else { return }
        flush()
        drop(.goingAway, "the relay is shutting down")
    }

    nonisolated func closed(_ status: CloseStatus, error: WebSocketError?) {
        assumeIsolated { session in
            session.finish()
            session.shard.assumeIsolated { $0.remove(session.id) }
            session.core.closed(session.client)
        }
    }

    private func finish() {
        guard !isOver else { return }
        isOver = true
        stallTimer?.cancel()
        outbox.removeAll()
        for id in Array(subscriptions.keys) { end(id) }
        unread = 0
        for id in Array(reconciliations.keys) { endReconciliation(id) }
        waitingQueries = Queue()
        resumeRoomWaiters()
    }
}
