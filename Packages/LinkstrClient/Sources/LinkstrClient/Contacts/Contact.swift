public import NostrCrypto

/// Somebody whom the account follows.
public struct Contact: Hashable, Sendable {
    /// Whose key it is.
    public let key: Bytes32
    /// What the person calls them; private.
    public let alias: String?
    /// What they call themselves, as far as it is known here.
    public let publishedName: String?
    /// The name in the follow list, visible to everybody.
    public let petname: String?
    /// A relay where their events are found.
    public let relayHint: String?
}

/// The contacts of an account.
public struct ContactList: Sendable {
    /// In the order of the follow list.
    public let contacts: [Contact]
    /// Whether the follow list is known, so that none is not taken for "not loaded".
    public let isKnown: Bool
}

/// A follow list that was replaced.
public struct ContactVersion: Hashable, Sendable {
    /// What ``AccountRuntime/undoContacts(_:confirming:)`` takes to bring it back: 1 for the one before the current.
    public let stepsBack: Int
    /// When it was made, in seconds since 1970.
    public let createdAt: Int64
    /// How many it follows.
    public let count: Int
    /// Who is in it and not in the list that replaced it.
    public let removedAfter: [Bytes32]
    /// Who is in the list that replaced it and not in it.
    public let addedAfter: [Bytes32]
}

/// Somebody who follows the account.
public struct Follower: Hashable, Sendable {
    /// Whose follow list it is.
    public let key: Bytes32
    /// When that list was made, in seconds since 1970.
    public let since: Int64
    /// Whether the account follows them too.
    public let isContact: Bool
}

/// What looking for followers found.
public struct FollowerList: Sendable {
    /// The newest list first.
    public let followers: [Follower]
    /// Something is missing: a relay failed or has more than can be asked for.
    public let isPartial: Bool
    /// Whether relays have more.
    public let canLoadMore: Bool
}
