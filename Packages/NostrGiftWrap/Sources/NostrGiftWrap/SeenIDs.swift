public import NostrEvents

/// The last so many ids: the oldest gives way to the newest.
public struct SeenIDs: Sendable {
    /// How many ids are kept.
    public let capacity: Int
    private var ids: Set<EventID> = []
    private var order: [EventID] = []
    private var oldest = 0

    /// - Parameter capacity: How many ids are kept, at least one.
    public init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// How many ids are kept now.
    public var count: Int { ids.count }

    /// Whether an id is among the kept.
    public func contains(_ id: EventID) -> Bool {
        ids.contains(id)
    }

    /// Remembers an id.
    /// - Returns: Whether it is new.
    @discardableResult
    public mutating func insert(_ id: EventID) -> Bool {
        guard ids.insert(id).inserted else { return false }
        if order.count < capacity {
            order.append(id)
        } else {
            // An id that was forgotten meanwhile and came back stands in a later place too.
            ids.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    /// Forgets an id, so that it is new when it comes again.
    public mutating func remove(_ id: EventID) {
        guard ids.remove(id) != nil, let place = order.lastIndex(of: id) else { return }
        order.remove(at: place)
        if place < oldest { oldest -= 1 }
        // The ring is written from its oldest place once it is full again.
        order = Array(order[oldest...] + order[..<oldest])
        oldest = 0
    }
}
