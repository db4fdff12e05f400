public import NostrCrypto

/// One statement of a session's complete member list: a `session_create` or a `session_members`.
public struct Snapshot: Hashable, Sendable {
    /// The rumor's time and id.
    public let moment: Moment
    /// Trimmed; nil where it was missing or blank, which keeps the name that was.
    public let name: String?
    /// The whole list, without duplicates, in the order it was sent.
    public let members: [Bytes32]
    /// Whether it came as `session_create`.
    public let isCreate: Bool

    /// A member list of its parts.
    public init(moment: Moment, name: String?, members: [Bytes32], isCreate: Bool) {
        self.moment = moment
        self.name = name
        self.members = members
        self.isCreate = isCreate
    }

    /// Whether it can ever belong to the log of a session by this sender, as this owner sees it: a list must hold its
    /// sender, and a `session_create` the owner too.
    func belongs(to sender: Bytes32, seenBy owner: Bytes32) -> Bool {
        members.contains(sender) && (!isCreate || members.contains(owner))
    }

    /// Whether it makes the session exist for the owner with its sender as the creator.
    func isClaim(by sender: Bytes32, seenBy owner: Bytes32) -> Bool {
        name != nil && members.contains(owner) && members.contains(sender)
    }
}
