public import NostrEvents

/// The follow lists that were replaced, newest last, for the way back. ``FollowListRecord`` keeps them over a restart.
public struct FollowListHistory: Sendable {
    /// How many are kept, at least one.
    public let capacity: Int
    /// Bytes of JSON that are kept; the newest is, however large.
    public static let maximumSize = 8 << 20
    /// The replaced lists, newest last.
    public private(set) var events: [Event]
    private var sizes: [Int] = []

    /// - Parameters:
    ///   - events: What was stored, newest last.
    ///   - capacity: How many are kept; the oldest gives way.
    public init(_ events: [Event] = [], capacity: Int = 50) {
        self.capacity = max(1, capacity)
        self.events = []
        for event in events { add(event) }
    }

    /// Keeps a list that is replaced; once, however often that happens.
    public mutating func add(_ event: Event) {
        guard event.kind == .followList, !events.contains(event) else { return }
        events.append(event)
        sizes.append(event.json.count)
        var size = sizes.reduce(0, +)
        while events.count > 1, events.count > capacity || size > Self.maximumSize {
            events.removeFirst()
            size -= sizes.removeFirst()
        }
    }

    /// A replaced list: 1 is the one before the current, 2 the one before that.
    public subscript(stepsBack steps: Int) -> Event? {
        guard steps >= 1, steps <= events.count else { return nil }
        return events[events.count - steps]
    }
}
