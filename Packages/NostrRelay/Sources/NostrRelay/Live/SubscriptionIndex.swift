import NostrCrypto
import NostrEvents

/// Which of many subscriptions want an event, found by what their filters name and not by asking each of them.
///
/// A filter stands under each value of its narrowest condition: its ids, else its authors or the tag with the fewest
/// values, else its kinds. An event is looked up under its own id, author, tags and kind, and what stands there is held
/// against the whole filter. So the cost of an event does not depend on how many subscriptions want others.
struct SubscriptionIndex<Target> {
    private enum Key: Hashable {
        case id(EventID)
        case author(Bytes32)
        case tag(TagLetter, ExactText)
        case kind(Kind)
        case everything
    }

    private enum Bucket {
        case one(Int)
        case many(Set<Int>)
    }

    private struct Slot {
        let filters: [Filter]
        let target: Target
        let keys: [Key]
        var lastTurn: UInt64 = 0
    }

    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var buckets: [Key: Bucket] = [:]
    private var tagKeys = 0
    private var turn: UInt64 = 0

    /// How many subscriptions there are.
    var count: Int { slots.count - free.count }

    /// Whether nothing of any subscription is left.
    var isEmpty: Bool { count == 0 && buckets.isEmpty && tagKeys == 0 }

    /// Enters a subscription.
    ///
    /// A filter that searches (NIP-50) is left out: only the database knows what matches it.
    /// - Returns: The number under which it is removed.
    mutating func insert(_ filters: [Filter], _ target: Target) -> Int {
        let filters = filters.filter { $0.search == nil }
        var keys: Set<Key> = []
        for filter in filters { keys.formUnion(Self.keys(of: filter)) }
        let slot = Slot(filters: filters, target: target, keys: Array(keys))
        let number: Int
        if let last = free.popLast() {
            number = last
            slots[number] = slot
        } else {
            number = slots.count
            slots.append(slot)
        }
        for key in keys { enter(number, key) }
        return number
    }

    /// Takes a subscription out.
    mutating func remove(_ number: Int) {
        guard slots.indices.contains(number), let slot = slots[number] else { return }
        for key in slot.keys { leave(number, key) }
        slots[number] = nil
        free.append(number)
    }

    /// The subscriptions that want an event, each once.
    mutating func targets(of event: Event) -> [Target] {
        turn += 1
        var found: [Target] = []
        collect(.id(event.id), event, &found)
        collect(.author(event.pubkey), event, &found)
        collect(.kind(event.kind), event, &found)
        collect(.everything, event, &found)
        guard tagKeys > 0 else { return found }
        for tag in event.tags {
            guard let letter = tag.letter, let value = tag.value else { continue }
            collect(.tag(letter, ExactText(value)), event, &found)
        }
        return found
    }

    private mutating func collect(_ key: Key, _ event: Event, _ found: inout [Target]) {
        switch buckets[key] {
        case nil: return
        case .one(let number): check(number, event, &found)
        case .many(let numbers): for number in numbers { check(number, event, &found) }
        }
    }

    private mutating func check(_ number: Int, _ event: Event, _ found: inout [Target]) {
        guard let slot = slots[number], slot.lastTurn != turn, slot.filters.match(event) else { return }
        slots[number]?.lastTurn = turn
        found.append(slot.target)
    }

    private mutating func enter(_ number: Int, _ key: Key) {
        if case .tag = key { tagKeys += 1 }
        switch buckets[key] {
        case nil: buckets[key] = .one(number)
        case .one(let other): buckets[key] = .many([other, number])
        case .many(var numbers):
            // Nothing may share the set while it grows.
            buckets[key] = nil
            numbers.insert(number)
            buckets[key] = .many(numbers)
        }
    }

    private mutating func leave(_ number: Int, _ key: Key) {
        if case .tag = key { tagKeys -= 1 }
        guard case .many(var numbers) = buckets.removeValue(forKey: key) else { return }
        numbers.remove(number)
        if !numbers.isEmpty { buckets[key] = .many(numbers) }
    }

    /// Under what a filter stands; nothing if a list of it is empty, so that no event matches.
    private static func keys(of filter: Filter) -> [Key] {
        if let ids = filter.ids { return ids.map(Key.id) }
        let tag = filter.tags.min { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        if let authors = filter.authors, authors.count <= tag?.value.count ?? .max { return authors.map(Key.author) }
        if let tag { return tag.value.map { Key.tag(tag.key, ExactText($0)) } }
        if let kinds = filter.kinds { return kinds.map(Key.kind) }
        return [.everything]
    }
}
