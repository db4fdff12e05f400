public import NostrEvents
import Locking

/// Which events have been verified already, so that the copies that other relays send cost no more than a look at their
/// id. Bounded: the oldest entries are forgotten first. May be shared between subscriptions, and used from anywhere.
///
/// An id is entered only after the event's id and signature were verified, never on a relay's word.
public final class SeenEvents: Sendable {
    private struct State {
        var times: [EventID: Int64] = [:]
        var order: [EventID] = []
        var oldest = 0
    }

    private let state = Locked(State())
    /// The most ids that are kept.
    public let capacity: Int

    /// - Parameter capacity: ids to keep; about 100 bytes each when it is full.
    public init(capacity: Int = 65_536) {
        self.capacity = max(1, capacity)
    }

    /// How many ids are kept now.
    public var count: Int { state.withLock { $0.times.count } }

    /// When the event was made, in seconds since 1970; nil if it has not been seen.
    public func time(of id: EventID) -> Int64? {
        state.withLock { $0.times[id] }
    }

    /// Enters a verified event. False if it was there already.
    @discardableResult
    public func insert(_ event: Event) -> Bool {
        insert(event.id, createdAt: event.createdAt)
    }

    /// Enters an event that was verified at another time, for instance one from a store. False if it was there already.
    @discardableResult
    public func insert(_ id: EventID, createdAt: Int64) -> Bool {
        state.withLock { state in
            guard state.times.updateValue(createdAt, forKey: id) == nil else { return false }
            if state.order.count < capacity {
                state.order.append(id)
            } else {
                state.times[state.order[state.oldest]] = nil
                state.order[state.oldest] = id
                state.oldest = (state.oldest + 1) % capacity
            }
            return true
        }
    }
}
