public import NostrCrypto

/// A stretch of time in which somebody is a member: from its start, without its end.
public struct Interval: Hashable, Sendable, BitwiseCopyable {
    /// Seconds since 1970, inclusive.
    public let start: Int64
    /// Seconds since 1970, exclusive; nil while it lasts.
    public internal(set) var end: Int64?

    /// A stretch from a time on.
    public init(start: Int64, end: Int64? = nil) {
        self.start = start
        self.end = end
    }

    /// Whether the time lies inside.
    public func contains(_ time: Int64) -> Bool {
        start <= time && (end.map { time < $0 } ?? true)
    }
}

/// Who belongs to a session and when: the fold of its log in ascending order.
///
/// Each snapshot is the complete list from its moment on. A listed key without an open interval gets one, an unlisted key's
/// open interval ends; of two snapshots at one time the one with the greater id is applied last. Empty intervals are dropped,
/// so a key that is out and in again at one time has two that touch.
public struct Membership: Hashable, Sendable {
    /// The intervals of each key that ever was a member, ascending.
    public private(set) var intervals: [Bytes32: [Interval]] = [:]
    /// The last name that was not blank, trimmed.
    public private(set) var name: String?
    /// The last snapshot.
    public private(set) var newest: Moment?
    /// The last list.
    private(set) var current: Set<Bytes32> = []

    /// Nobody was ever a member.
    public init() {}

    /// The fold of snapshots in ascending order.
    init(folding log: some Sequence<Snapshot>) {
        for snapshot in log { apply(snapshot) }
    }

    /// The keys with an open interval, ascending.
    public var members: [Bytes32] { current.sorted() }

    /// Whether the key has an open interval.
    public func isMember(_ key: Bytes32) -> Bool { current.contains(key) }

    /// Whether the key was a member at a time.
    public func contains(_ key: Bytes32, at time: Int64) -> Bool {
        interval(of: key, at: time) != nil
    }

    /// The interval of the key that holds a time.
    public func interval(of key: Bytes32, at time: Int64) -> Interval? {
        guard let all = intervals[key] else { return nil }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0, all[low - 1].contains(time) else { return nil }
        return all[low - 1]
    }

    /// Applies the snapshot that is greater than all before.
    mutating func apply(_ snapshot: Snapshot) {
        assert(newest.map { $0 < snapshot.moment } ?? true, "snapshots are folded in ascending order")
        let listed = Set(snapshot.members)
        let time = snapshot.moment.time
        for key in current.subtracting(listed) { close(key, at: time) }
        for key in listed.subtracting(current) { intervals[key, default: []].append(Interval(start: time)) }
        current = listed
        newest = snapshot.moment
        if let name = snapshot.name { self.name = name }
    }

    private mutating func close(_ key: Bytes32, at time: Int64) {
        guard var all = intervals[key], let open = all.popLast() else { return }
        if open.start < time { all.append(Interval(start: open.start, end: time)) }
        intervals[key] = all.isEmpty ? nil : all
    }
}
