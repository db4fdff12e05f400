import Locking

/// Tells everybody who subscribed what happened. A subscriber has a buffer of its own: one that is slow loses events and is told
/// how many; it holds nobody up.
final class EventHub: Sendable {
    private struct Subscriber {
        weak var queue: EventQueue?
    }

    private let subscribers = Locked<[Subscriber]>([])
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    /// Whether anybody listens.
    var isHeard: Bool { subscribers.withLock { $0.contains { $0.queue != nil } } }

    /// How many listen.
    var count: Int { subscribers.withLock { $0.count { $0.queue != nil } } }

    func subscribe(buffering capacity: Int) -> AsyncStream<AccountEvent> {
        let queue = EventQueue(capacity: capacity, now: now)
        subscribers.withLock { subscribers in
            subscribers.removeAll { $0.queue == nil }
            subscribers.append(Subscriber(queue: queue))
        }
        // The stream alone keeps the queue alive: when it goes, the subscription is over.
        return AsyncStream { await queue.next() }
    }

    func tell(_ kind: AccountEvent.Kind, isWorthNotifying: Bool = false) {
        let queues = subscribers.withLock { $0.compactMap(\.queue) }
        guard !queues.isEmpty else { return }
        let event = AccountEvent(kind, time: now(), isWorthNotifying: isWorthNotifying)
        for queue in queues { queue.push(event) }
    }

    /// Ends every subscription once what waits was taken.
    func finish() {
        let queues = subscribers.withLock { subscribers in
            defer { subscribers.removeAll() }
            return subscribers.compactMap(\.queue)
        }
        for queue in queues { queue.finish() }
    }
}

/// What waits for one subscriber.
final class EventQueue: Sendable {
    private struct State {
        var events: [AccountEvent] = []
        var first = 0
        var lost = 0
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let capacity: Int
    private let now: @Sendable () -> Int64
    private let state = Locked(State())

    init(capacity: Int, now: @escaping @Sendable () -> Int64) {
        self.capacity = max(2, capacity)
        self.now = now
    }

    func push(_ event: AccountEvent) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            if state.events.count - state.first >= capacity {
                // The older half at once, so that a subscriber who never reads costs little.
                state.lost += capacity / 2
                state.first += capacity / 2
            }
            if state.first >= capacity {
                state.events.removeFirst(state.first)
                state.first = 0
            }
            state.events.append(event)
            return state.reader.take()
        }
        reader?.resume()
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// The next event, waiting for it; nil at the end or when the task is cancelled.
    func next() async -> AccountEvent? {
        while !Task.isCancelled {
            let (event, isOver) = state.withLock { state -> (AccountEvent?, Bool) in
                if state.lost > 0 {
                    defer { state.lost = 0 }
                    return (AccountEvent(.lost(state.lost), time: now()), false)
                }
                guard state.first < state.events.count else { return (nil, state.isFinished) }
                defer {
                    state.first += 1
                    if state.first == state.events.count {
                        state.events.removeAll(keepingCapacity: state.events.count <= 64)
                        state.first = 0
                    }
                }
                return (state.events[state.first], false)
            }
            if let event { return event }
            if isOver { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        guard state.first == state.events.count, state.lost == 0, !state.isFinished,
                            state.reader == nil, !Task.isCancelled
                        else { return true }
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                finish()
            }
        }
        return nil
    }
}
