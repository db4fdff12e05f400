import NostrEvents
import Locking

/// Between relay connections, which push on their loops, and one consumer. A connection that finds it full holds back
/// what comes until there is room.
final class UpdateQueue: Sendable {
    private struct State {
        var updates: [SubscriptionUpdate] = []
        var bytes = 0
        var openRelays: Int
        var isClosed = false
        var reader: CheckedContinuation<Void, Never>?
        var whenRoom: [@Sendable () -> Void] = []
    }

    /// What an update costs beside its event.
    static let updateCost = 256

    private let capacity: Int
    private let state: Locked<State>

    init(capacity: Int, relays: Int) {
        self.capacity = max(1, capacity)
        state = Locked(State(openRelays: relays))
    }

    /// Takes the updates in any case. False if there is no room for more: then `whenRoom` is called once there is.
    func push(_ updates: [SubscriptionUpdate], bytes: Int, whenRoom: @escaping @Sendable () -> Void) -> Bool {
        let (hasRoom, reader) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isClosed else { return (true, nil) }
            state.updates += updates
            state.bytes += bytes + updates.count * Self.updateCost
            let hasRoom = state.bytes < capacity
            if !hasRoom { state.whenRoom.append(whenRoom) }
            return (hasRoom, state.reader.take())
        }
        reader?.resume()
        return hasRoom
    }

    /// The last update of a relay.
    func finish(_ update: SubscriptionUpdate) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isClosed else { return nil }
            state.updates.append(update)
            state.openRelays -= 1
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Ends it for the consumer, who loses what waits.
    func close() {
        let (reader, calls) = state.withLock { state -> (CheckedContinuation<Void, Never>?, [@Sendable () -> Void]) in
            state.isClosed = true
            state.updates = []
            state.bytes = 0
            defer { state.whenRoom = [] }
            return (state.reader.take(), state.whenRoom)
        }
        reader?.resume()
        for call in calls { call() }
    }

    /// All that waits, at least one update; nil at the end. One consumer at a time.
    func next() async -> [SubscriptionUpdate]? {
        while true {
            let (updates, calls) = state.withLock { state -> ([SubscriptionUpdate]?, [@Sendable () -> Void]) in
                if !state.updates.isEmpty {
                    let updates = state.updates
                    let calls = state.whenRoom
                    state.updates = []
                    state.bytes = 0
                    state.whenRoom = []
                    return (updates, calls)
                }
                return (state.isClosed || state.openRelays <= 0 ? nil : [], [])
            }
            for call in calls { call() }
            guard let updates else { return nil }
            if !updates.isEmpty { return updates }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        guard state.updates.isEmpty, !state.isClosed, state.openRelays > 0 else { return true }
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                close()
            }
        }
    }
}
