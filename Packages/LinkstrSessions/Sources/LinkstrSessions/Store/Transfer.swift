public import NostrCrypto

/// A stored fact with what only this device knows of it: a part of what moves an account to another machine.
public struct StoredArrival: Sendable {
    /// Where it stands among the others; ascending.
    public let row: Int64
    /// What ``SessionStore/apply(_:now:)`` takes on the other machine.
    public let arrival: Arrival
}

/// What was decided once about a session, or by the person: the other part. It goes in before the facts.
public struct SessionState: Hashable, Sendable {
    /// Which session it is.
    public let id: SessionID
    /// The choice of the creator, if it was made.
    public var pin: SessionLog.Pin?
    /// Its end, if it was closed.
    public var tombstone: SessionLog.Tombstone?
    /// The person put it away.
    public var isArchived: Bool
    /// What the person said about it, if it is by a stranger.
    public var request: SessionRequest
    /// Whose posts are hidden here, ascending.
    public var blocked: [Bytes32]

    /// The state of a session of its parts.
    public init(
        id: SessionID,
        pin: SessionLog.Pin? = nil,
        tombstone: SessionLog.Tombstone? = nil,
        isArchived: Bool = false,
        request: SessionRequest = .none,
        blocked: [Bytes32] = []
    ) {
        self.id = id
        self.pin = pin
        self.tombstone = tombstone
        self.isArchived = isArchived
        self.request = request
        self.blocked = blocked
    }
}

/// Posts of a session that are here and do not count.
public struct HiddenPosts: Hashable, Sendable {
    /// How many there are.
    public let count: Int
    /// How many of them are older than the oldest member list that is here: relays may have dropped older lists.
    public let beforeOldestList: Int
    /// The time of the oldest member list, seconds since 1970.
    public let oldestList: Int64?
}
