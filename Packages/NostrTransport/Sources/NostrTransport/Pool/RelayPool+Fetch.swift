public import NostrEvents
import Sockets

/// What relays had stored.
public struct FetchResult: Sendable {
    /// Verified events, each once, in the order in which they came.
    public internal(set) var events: [Event] = []
    /// What each relay sent before the end of its stored events.
    public internal(set) var pages: [RelayURL: StoredPage] = [:]
    /// Relays that did not get that far, and why; ``TransportError/cancelled`` where they were not waited for.
    public internal(set) var failures: [RelayURL: TransportError] = [:]

    /// Whether every relay has sent what it wanted to send.
    public var isComplete: Bool { failures.isEmpty }
}

/// When a fetch has enough.
public enum FetchEnd: Sendable, Equatable {
    /// When every relay has sent what it has, or failed.
    case all
    /// When one relay has, and the others have had so much more time.
    case first(grace: Duration)
}

extension RelayPool {
    /// Fetches what relays have stored. A relay that makes no progress for ``TransportOptions/stallTime`` is given up.
    ///
    /// - Parameters:
    ///   - filters: one at least.
    ///   - relays: whom to ask; nil: all of the pool. Those that are not in the pool are added.
    ///   - end: when it is enough.
    ///   - limit: events that are kept in memory; when there are more, it is enough, and the relays that had not finished
    ///     fail with ``TransportError/tooMuch(limit:)``.
    ///   - options: its name, its known events, its time; the extent is always `stored`.
    /// - Returns: what came. A call that is cancelled returns what is there then.
    public func fetch(
        _ filters: [Filter],
        from relays: [RelayURL]? = nil,
        until end: FetchEnd = .all,
        limit: Int = 50_000,
        options: SubscriptionOptions = .stored
    ) async -> FetchResult {
        var options = options
        options.extent = .stored
        let subscription = subscribe(filters, to: relays, options: options)
        defer { subscription.close() }
        var result = FetchResult()
        var open = Set(subscription.relays)
        var isTooMuch = false
        let grace = Grace(loops[0], subscription)
        reading: while let updates = await subscription.nextBatch() {
            for update in updates {
                switch update {
                case .event(let event, _):
                    guard result.events.count < limit else {
                        isTooMuch = true
                        break reading
                    }
                    result.events.append(event)
                case .endOfStoredEvents(let relay, let page):
                    result.pages[relay] = page
                    open.remove(relay)
                    if case .first(let time) = end { grace.begin(time) }
                case .closed(let relay, let error):
                    open.remove(relay)
                    if let error { result.failures[relay] = error }
                case .interrupted:
                    break
                }
            }
        }
        grace.end()
        for relay in open { result.failures[relay] = isTooMuch ? .tooMuch(limit: limit) : .cancelled }
        return result
    }
}

/// Closes a subscription some time after its first relay has finished.
///
/// `@unchecked Sendable`: the state is touched on the loop alone, through `execute`.
private final class Grace: @unchecked Sendable {
    private let loop: EventLoop
    private let subscription: Subscription
    private var timer: LoopTimer?
    private var isOver = false

    init(_ loop: EventLoop, _ subscription: Subscription) {
        self.loop = loop
        self.subscription = subscription
    }

    func begin(_ time: Duration) {
        loop.execute {
            guard self.timer == nil, !self.isOver else { return }
            self.timer = self.loop.schedule(after: time) { self.subscription.close() }
        }
    }

    func end() {
        loop.execute {
            self.isOver = true
            self.timer?.cancel()
        }
    }
}
