import NostrCrypto
public import NostrEvents

/// A place between two items of a sorted set: inclusive as a lower, exclusive as an upper end (NIP-77, "Bound").
public struct NegentropyBound: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Seconds; 2^64 - 1 is infinity.
    public let timestamp: UInt64
    /// The ID prefix, filled with zero bytes.
    public let id: EventID
    /// How many bytes of ``id`` are written in a message, 0 ... 32. The others are zero.
    public let prefixLength: UInt8

    /// Below or at every item.
    public static let zero = NegentropyBound(timestamp: 0, id: EventID(.zero), prefixLength: 0)
    /// Above every item.
    public static let infinity = NegentropyBound(timestamp: .max, id: EventID(.zero), prefixLength: 0)

    /// `prefixLength` takes no part in the order nor in equality: it says only how a bound is written.
    public static func < (left: NegentropyBound, right: NegentropyBound) -> Bool {
        left.timestamp != right.timestamp ? left.timestamp < right.timestamp : left.id < right.id
    }

    public static func == (left: NegentropyBound, right: NegentropyBound) -> Bool {
        left.timestamp == right.timestamp && left.id == right.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(timestamp)
        hasher.combine(id)
    }

    /// Whether the item lies below this bound, so in a range that ends here.
    public func isAbove(_ item: NegentropyItem) -> Bool {
        item.timestamp != timestamp ? item.timestamp < timestamp : item.id < id
    }

    /// The bound with the shortest prefix that has `last` below it and `next` not.
    static func between(_ last: NegentropyItem, _ next: NegentropyItem) -> NegentropyBound {
        guard last.timestamp == next.timestamp else {
            return NegentropyBound(timestamp: next.timestamp, id: EventID(.zero), prefixLength: 0)
        }
        var prefix = next.id.bytes.array
        let shared = zip(last.id.bytes.array, prefix).prefix { $0 == $1 }.count
        let length = min(shared + 1, 32)
        for index in length..<32 { prefix[index] = 0 }
        let id = (try? Bytes32(prefix)).map(EventID.init) ?? next.id
        return NegentropyBound(timestamp: next.timestamp, id: id, prefixLength: UInt8(length))
    }
}
