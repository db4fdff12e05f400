public import NostrEvents

/// What is reconciled: the ID of an event and the time that sorts it (NIP-77, "Preparation").
///
/// Items are ordered by time, and at the same time by ID, byte by byte.
public struct NegentropyItem: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// `created_at` in seconds.
    public let timestamp: UInt64
    /// The event's ID.
    public let id: EventID

    /// - Throws: ``NegentropyError/reservedTimestamp`` for the timestamp 2^64 - 1, which stands for infinity.
    public init(timestamp: UInt64, id: EventID) throws(NegentropyError) {
        guard timestamp != .max else { throw .reservedTimestamp }
        self.timestamp = timestamp
        self.id = id
    }

    public static func < (left: NegentropyItem, right: NegentropyItem) -> Bool {
        left.timestamp != right.timestamp ? left.timestamp < right.timestamp : left.id < right.id
    }
}
