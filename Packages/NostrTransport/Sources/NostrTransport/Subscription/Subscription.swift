public import NostrEvents
import Locking

/// What relays have and get for one set of filters: events, each verified and delivered once, and what happens to the
/// subscription on each relay.
///
/// One task iterates. A consumer that is slow holds the relays back, and nothing is lost; it also holds back whatever
/// else it wants from them, so take what comes and work on it elsewhere. Cancelling that task, ``close()`` and dropping
/// the subscription end it on all relays.
///
/// ```swift
/// for await update in subscription {
///     if case .event(let event, let relay) = update { print(relay, event) }
/// }
/// ```
public final class Subscription: AsyncSequence, Sendable {
    /// What iterating gives.
    public typealias Element = SubscriptionUpdate
    /// What iterating may throw.
    public typealias Failure = Never

    /// The relays that were asked.
    public let relays: [RelayURL]
    /// The events that are known to it.
    public let seen: SeenEvents

    private let queue: UpdateQueue
    private let onClose: Locked<(@Sendable () -> Void)?>

    init(relays: [RelayURL], seen: SeenEvents, queue: UpdateQueue, onClose: @escaping @Sendable () -> Void) {
        self.relays = relays
        self.seen = seen
        self.queue = queue
        self.onClose = Locked(onClose)
    }

    deinit {
        close()
    }

    /// Ends it: CLOSE is sent to the relays that have it open, and iterating ends. From anywhere, any number of times.
    public func close() {
        queue.close()
        onClose.withLock { $0.take() }?()
    }

    /// All updates that wait, at least one; nil when it is over on all relays or closed. Cheaper than one at a time. A
    /// task that is cancelled here closes the subscription.
    public func nextBatch() async -> [SubscriptionUpdate]? {
        if let updates = await queue.next(), !Task.isCancelled { return updates }
        close()
        return nil
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: self)
    }

    /// Goes through the updates, one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription
        private var batch: [SubscriptionUpdate] = []
        private var index = 0

        fileprivate init(subscription: Subscription) {
            self.subscription = subscription
        }

        /// The next update, waiting for it; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SubscriptionUpdate? {
            if index == batch.count {
                guard let next = await subscription.nextBatch() else { return nil }
                batch = next
                index = 0
            }
            defer { index += 1 }
            return batch[index]
        }
    }
}
