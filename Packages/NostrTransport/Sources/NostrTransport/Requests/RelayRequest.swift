import NostrEvents
import Sockets

/// One subscription on one relay. Lives on the connection's loop.
final class RelayRequest {
    enum Phase {
        /// Not sent: no connection, no room among the relay's subscriptions, or it waits to be sent again.
        case waiting
        case delayed(LoopTimer)
        /// Refused until this client has authenticated.
        case parked
        /// Sent; stored events are coming.
        case sent
        /// Stored events are over.
        case live
    }

    let token: Int
    let rule: MatchRule
    let extent: SubscriptionOptions.Extent
    let name: String
    let stallTime: Duration
    let queue: UpdateQueue

    var phase = Phase.waiting
    /// The present sending, and its REQs that the relay has or still must get.
    var round: RequestRound?
    var wires: [WireRequest] = []
    var unsent: [RequestSplitter.Part] = []
    /// When it may share a REQ with others again; nil: now.
    var sharesFrom: ContinuousClock.Instant?
    var refusedShares = 0
    /// Whether the consumer knows that there is no room.
    var isToldOfLimit = false
    /// When the relay last sent anything for it, and when something that had not come before.
    var lastProgress: ContinuousClock.Instant
    var lastNews: ContinuousClock.Instant
    var watchdog: LoopTimer?
    var backoff: Backoff
    var retries = 0
    /// Why it was refused last.
    var refusal: StatusMessage?
    /// A NOTICE came that may be the answer.
    var isHastened = false
    /// How often this client had authenticated when the request was sent.
    var authenticationsWhenSent = 0

    init(
        token: Int,
        rule: MatchRule,
        options: SubscriptionOptions,
        queue: UpdateQueue,
        defaults: TransportOptions,
        now: ContinuousClock.Instant
    ) {
        self.token = token
        self.rule = rule
        self.queue = queue
        extent = options.extent
        name = String(options.name.unicodeScalars.prefix(52).map(Character.init))
        stallTime = options.stallTime ?? defaults.stallTime
        backoff = Backoff(defaults.backoff)
        lastProgress = now
        lastNews = now
    }

    /// Whether it takes some of the relay's subscriptions.
    var isOnWire: Bool { !wires.isEmpty }

    var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    var isParked: Bool { if case .parked = phase { true } else { false } }
    var isSent: Bool { if case .sent = phase { true } else { false } }
    var isLive: Bool { if case .live = phase { true } else { false } }

    /// Whether it has parts that the relay has no room for, and of the others nothing is expected.
    var waitsForRoom: Bool { !unsent.isEmpty && wires.allSatisfy(\.isOver) }

    func stopTimers() {
        watchdog?.cancel()
        watchdog = nil
        if case .delayed(let timer) = phase { timer.cancel() }
    }
}
