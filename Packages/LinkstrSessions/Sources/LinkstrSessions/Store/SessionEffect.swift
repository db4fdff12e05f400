public import NostrCrypto
public import NostrEvents

/// What a batch did that somebody may want to know. State never depends on it.
public enum SessionEffect: Hashable, Sendable {
    /// A post came and counts, or came earlier and counts for the first time: told once of each. What the account's first restore
    /// brings before its session is not told one by one but as ``recounted(_:shown:hidden:)``.
    case posted(SessionID, EventID, by: Bytes32, Delivery)
    /// A reaction came and changed what its sender says with this emoji. Not told during a restore.
    case reacted(SessionID, post: EventID, emoji: ExactText, by: Bytes32, isActive: Bool, Delivery)
    /// A session is shown that was not.
    case appeared(SessionID)
    /// The name or the members of a shown session changed.
    case changed(SessionID)
    /// A second claimant came.
    case contested(SessionID)
    /// The creator ended the session.
    case closed(SessionID, creator: Bytes32)
    /// A late member list, or another choice of the creator, changed which of the posts that were here count. Posts that count for
    /// the first time are not among those shown, see ``posted(_:_:by:_:)``.
    case recounted(SessionID, shown: Int, hidden: Int)
    /// Another device of the owner sent a member list without knowing of one that this device made: the named list goes again
    /// to these members, who would else never learn of it.
    case resend(SessionID, memberList: EventID, to: [Bytes32])
    /// A former member still writes: the member list that left the member out goes to that key again. Once a day.
    case remind(SessionID, memberList: EventID, to: Bytes32)
    /// A session that lost facts to a bound is now one that counts: read the whole history again.
    case wantsFullHistory

    /// How something came.
    public enum Delivery: String, Hashable, Sendable {
        /// Read from history while catching up.
        case historical
        /// As it happened.
        case live
        /// Live, but by a former member and long after the end of the membership that covers it.
        case late
        /// Made on this device or another of the owner.
        case own
    }
}

/// What became of a batch.
public struct Applied: Sendable {
    /// For each fact of the batch what became of it.
    public var outcomes: [Sessions.Outcome] = []
    /// What it did, in no promised order.
    public var effects: [SessionEffect] = []
    /// Facts that were here and were forgotten because of a bound: relays are to be asked for them again some day, so their
    /// ids must not count as known.
    public var forgotten: [EventID] = []
    /// How many stored values were met that do not open. They are left as they are.
    public var unreadable = 0
}
