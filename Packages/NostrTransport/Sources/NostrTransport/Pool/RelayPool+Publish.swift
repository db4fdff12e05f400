public import NostrEvents
import Sockets

extension RelayPool {
    /// Publishes events: sends each to each relay, and waits until the relays' answers decide.
    ///
    /// - Parameters:
    ///   - events: in the order in which they are to be sent.
    ///   - relays: to whom; nil: to all of the pool. Those that are not in the pool are added.
    ///   - acceptance: how many relays must take each event. The call returns when that is
    ///     reached, or every relay has answered.
    ///   - deadline: how long nothing may happen: the time counts anew with each answer.
    ///   - onOutcome: told each outcome as it comes, on any thread.
    /// - Returns: what each relay did. A call that is cancelled returns what is known then.
    public func publish(
        _ events: [Event],
        to relays: [RelayURL]? = nil,
        acceptance: Acceptance = .any,
        deadline: Duration = .seconds(8),
        onOutcome: (@Sendable (EventID, RelayURL, PublishOutcome) -> Void)? = nil
    ) async -> PublishReceipt {
        let connections = connections(to: relays)
        let ids = events.map(\.id)
        let tracker = PublishTracker(ids, relays: connections.count, acceptance: acceptance, onOutcome: onOutcome)
        for connection in connections {
            connection.loop.execute { connection.assumeIsolated { $0.publish(events, tracker) } }
        }
        let watchdog = PublishWatchdog(tracker, patience: deadline, on: connections.first?.loop ?? loops[0])
        watchdog.start()
        await tracker.decision()
        watchdog.stop()
        tracker.giveUp()
        for connection in connections { await connection.withdraw(ids, tracker) }
        return tracker.conclusion()
    }

    /// Publishes an event, as ``publish(_:to:acceptance:deadline:onOutcome:)-([Event],_,_,_,_)``.
    public func publish(
        _ event: Event,
        to relays: [RelayURL]? = nil,
        acceptance: Acceptance = .any,
        deadline: Duration = .seconds(8)
    ) async -> PublishReceipt {
        await publish([event], to: relays, acceptance: acceptance, deadline: deadline)
    }
}

/// Gives a publication up when there was no answer for a while.
///
/// `@unchecked Sendable`: the timer and the count are touched on the loop alone, through `execute`.
private final class PublishWatchdog: @unchecked Sendable {
    /// So many looks make the patience, which is exact to one of them.
    private static let looks = 8

    private let tracker: PublishTracker
    private let patience: Duration
    private let loop: EventLoop
    private var timer: LoopTimer?
    private var progress = -1
    private var looksWithoutProgress = 0
    private var isStopped = false

    init(_ tracker: PublishTracker, patience: Duration, on loop: EventLoop) {
        self.tracker = tracker
        self.patience = patience
        self.loop = loop
    }

    func start() {
        loop.execute { self.look() }
    }

    func stop() {
        loop.execute {
            self.isStopped = true
            self.timer?.cancel()
        }
    }

    private func look() {
        guard !isStopped else { return }
        let progress = tracker.progress
        looksWithoutProgress = progress == self.progress ? looksWithoutProgress + 1 : 0
        self.progress = progress
        guard looksWithoutProgress < Self.looks else {
            tracker.giveUp()
            return
        }
        timer = loop.schedule(after: patience / Self.looks) { self.look() }
    }
}
