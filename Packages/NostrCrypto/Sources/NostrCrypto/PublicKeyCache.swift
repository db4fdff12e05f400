import Locking

/// Public keys of authors that come again and again, so that each is parsed once: a square root saved per event.
///
/// At most ``capacity`` keys are kept (about 200 bytes each). The one that makes room for another has not been asked for
/// since the last time round (the "clock" order, which is near to least recently used and takes constant time). Any number
/// of threads may use one cache.
public final class PublicKeyCache: Sendable {
    /// The greatest number of keys kept.
    public let capacity: Int
    private let entries: Locked<Entries>

    /// A cache of at most `capacity` keys, but at least one.
    public init(capacity: Int = 4096) {
        self.capacity = max(1, capacity)
        entries = Locked(Entries())
    }

    /// The key with this x coordinate, parsed now or before.
    /// - Throws: ``CryptoError/invalidPublicKey`` when no point has it; that is not remembered.
    public func key(for x: Bytes32) throws(CryptoError) -> PublicKey {
        if let known = entries.withLock({ $0.find(x) }) { return known }
        let key = try PublicKey(x)
        entries.withLock { $0.insert(key, capacity) }
        return key
    }

    /// How many keys are kept now.
    public var count: Int {
        entries.withLock { $0.slots.count }
    }

    /// Whether this key is kept; asking does not count as a use.
    func holds(_ x: Bytes32) -> Bool {
        entries.withLock { $0.places[x] != nil }
    }

    private struct Entries {
        struct Slot {
            var key: PublicKey
            var wasUsed: Bool
        }

        private(set) var slots: [Slot] = []
        private(set) var places: [Bytes32: Int] = [:]
        private var hand = 0

        mutating func find(_ x: Bytes32) -> PublicKey? {
            guard let place = places[x] else { return nil }
            slots[place].wasUsed = true
            return slots[place].key
        }

        mutating func insert(_ key: PublicKey, _ capacity: Int) {
            // Another thread may have parsed the same key in the meantime.
            guard places[key.bytes] == nil else { return }
            if slots.count < capacity {
                places[key.bytes] = slots.count
                slots.append(Slot(key: key, wasUsed: false))
                return
            }
            while slots[hand].wasUsed {
                slots[hand].wasUsed = false
                hand = (hand + 1) % capacity
            }
            places[slots[hand].key.bytes] = nil
            places[key.bytes] = hand
            slots[hand] = Slot(key: key, wasUsed: false)
            hand = (hand + 1) % capacity
        }
    }
}
