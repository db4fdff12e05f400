/// A dictionary of bounded size: the value that makes room for another is the one that was not asked for the longest.
///
/// The values stand in an array that only grows to the capacity; each knows its neighbours in the order of use.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot {
        var key: Key
        var value: Value
        var older: Int
        var newer: Int
    }

    let capacity: Int
    private var slots: [Slot] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1

    /// - Parameter capacity: How many values are kept, at least one.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { slots.count }

    /// The value of a key, which is the newest from now on.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        use(place)
        return slots[place].value
    }

    mutating func insert(_ value: Value, for key: Key) {
        if let place = places[key] {
            slots[place].value = value
            use(place)
        } else if slots.count < capacity {
            places[key] = slots.count
            slots.append(Slot(key: key, value: value, older: newest, newer: -1))
            if newest >= 0 { slots[newest].newer = slots.count - 1 } else { oldest = 0 }
            newest = slots.count - 1
        } else {
            let place = oldest
            places[slots[place].key] = nil
            places[key] = place
            slots[place].key = key
            slots[place].value = value
            use(place)
        }
    }

    /// Moves a slot to the end of the order.
    private mutating func use(_ place: Int) {
        guard place != newest else { return }
        let (older, newer) = (slots[place].older, slots[place].newer)
        slots[newer].older = older
        if older >= 0 { slots[older].newer = newer } else { oldest = newer }
        slots[newest].newer = place
        slots[place].older = newest
        slots[place].newer = -1
        newest = place
    }
}
