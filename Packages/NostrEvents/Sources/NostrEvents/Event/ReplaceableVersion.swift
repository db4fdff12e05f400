/// Which version of a replaceable or addressable event it is (NIP-01). The greater one is the newer: the later time, and at the
/// same time the lower id.
public struct ReplaceableVersion: Hashable, Sendable, BitwiseCopyable {
    /// Seconds since 1970.
    public let createdAt: Int64
    /// The event's id.
    public let id: EventID

    /// A version of its two parts, as they were stored.
    public init(createdAt: Int64, id: EventID) {
        self.createdAt = createdAt
        self.id = id
    }

    /// The version that an event is.
    public init(_ event: Event) {
        self.init(createdAt: event.createdAt, id: event.id)
    }

    /// The greatest time that an event can have, 2^53 - 1.
    private static let lastTime: Int64 = (1 << 53) - 1

    /// The time for the version that replaces one of the time `last`: now, or a second later than `last` if that is not before
    /// now. Nil if that lies more than `tolerance` seconds in the future, or beyond what an event can say: then one of the
    /// clocks is wrong.
    public static func time(after last: Int64?, now: Int64, tolerance: Int64 = .max) -> Int64? {
        let now = max(now, 0)
        guard let last, last >= now else { return now }
        guard last < lastTime, last + 1 - now <= max(0, tolerance) else { return nil }
        return last + 1
    }
}

extension ReplaceableVersion: Comparable {
    public static func < (left: ReplaceableVersion, right: ReplaceableVersion) -> Bool {
        left.createdAt == right.createdAt ? right.id < left.id : left.createdAt < right.createdAt
    }
}
